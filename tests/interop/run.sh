#!/usr/bin/env bash
# Runs the conformance suite and the official SDKs' clients against a built bridge.
#
#   tests/interop/run.sh BINARY [conformance] [http] [stdio] [demo] [confirm] [browser] [replicas] [issuer]
#
# Without part names everything runs. Packages go to interop in the target directory, nothing into the source tree;
# every server listens on the loopback only and is stopped by its own pid. Each command below can
# be replaced through the environment; {root}, {binary}, {document}, {base} and {port} are filled
# in.
set -uo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
[ $# -ge 1 ] || { sed -n '2,8s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" >&2; exit 2; }
binary=$1
shift
[[ $binary == */* ]] && binary=$(realpath -m "$binary")
parts=" ${*:-conformance http stdio demo confirm browser replicas issuer} "

targets=$(realpath -m "${CARGO_TARGET_DIR:-$root/target}")
work=${INTEROP_DIR:-$targets/interop}
serve=${INTEROP_SERVE:-'{binary} serve {document} --base-url {base} --listen 127.0.0.1:{port}'}
stdio=${INTEROP_STDIO:-'{binary} serve {document} --base-url {base} --stdio'}
# Serves the pet store; must print an address that ends in /api/v1, and may print one in /mcp.
demo=${INTEROP_DEMO:-'{binary} demo --port {port}'}
upstream=${INTEROP_UPSTREAM:-"$targets/debug/examples/upstream_conformance --port {port}"}
# Groups of checks to leave out, with commas between: confirm, upload, stripping.
without=${INTEROP_WITHOUT:-none}

logs=$work/logs
children=()
failed=()
command=()

main() {
  mkdir -p "$logs"
  trap stop_children EXIT
  trap 'exit 130' INT TERM
  install_node && install_python || exit 1

  if wants conformance; then
    if [ -z "${INTEROP_UPSTREAM:-}" ]; then
      (cd "$root" && cargo build --quiet --locked --example upstream_conformance) || exit 1
    fi
    run_conformance
  fi
  if wants http || wants stdio || wants demo; then
    run_clients
  fi
  if wants confirm || wants browser || wants replicas; then
    run_confirmation
  fi
  # Starts the bridge itself: its configuration names the issuer's port.
  if wants issuer; then
    step "tokens of an issuer" 120 "$node" "$here/issuer.mjs" --modules "$work" --binary "$binary"
  fi

  if [ ${#failed[@]} -gt 0 ]; then
    printf '\ninterop: FAILED:'
    printf ' %s;' "${failed[@]}"
    printf ' logs in %s\n' "$logs"
    return 1
  fi
  printf '\ninterop: everything holds\n'
}

run_conformance() {
  local port base
  port=$(free_port)
  base=http://127.0.0.1:$port
  start upstream "$port" "$upstream" "" "" || { failed+=("conformance upstream"); return; }
  local bridge
  bridge=$(free_port)
  start conformance-bridge "$bridge" "$serve" "$root/specs/conformance.yaml" "$base" || { failed+=("conformance bridge"); return; }
  step conformance 600 "$node" "$here/conformance.mjs" --url "http://127.0.0.1:$bridge/mcp" --modules "$work" --out "$work/conformance"
}

run_clients() {
  local port base document=$root/specs/petstore.yaml
  port=$(free_port)
  start demo "$port" "$demo" "" "" || { failed+=("demo"); return; }
  base=$(address demo /api/v1)
  if [ -z "$base" ]; then
    echo "the demo printed no address that ends in /api/v1; its output:"
    cat "$logs/demo.log"
    failed+=("demo address")
    return
  fi

  local bridge
  if wants http; then
    bridge=$(free_port)
    if start bridge "$bridge" "$serve" "$document" "$base"; then
      clients "clients over http" --url "http://127.0.0.1:$bridge/mcp"
    else
      failed+=("bridge")
    fi
  fi
  if wants stdio; then
    fill "$stdio" "" "$document" "$base"
    clients "clients over stdio" --stdio "${command[@]}"
  fi
  # The demo's own endpoint, where it has one.
  if wants demo && [ -n "$(address demo /mcp)" ]; then
    step "demo's endpoint" 120 "$node" "$here/clients/sdk.mjs" --modules "$work" --only v2-auto --without "$without" --url "$(address demo /mcp)"
  fi
}

# Scripts that start bridges with settings of their own, in front of a service that counts.
run_confirmation() {
  local serve=("$binary" serve '{document}' --config '{config}' --base-url '{base}' --listen 127.0.0.1:0)
  local stdio=("$binary" serve '{document}' --config '{config}' --base-url '{base}' --stdio)
  local program
  if wants confirm; then
    for program in "$node $here/clients/confirm.mjs --modules $work" "$work/venv/bin/python $here/clients/confirm.py"; do
      read -ra program <<<"$program"
      step "confirming over http: ${program[1]##*.}" 300 "${program[@]}" --serve "${serve[@]}"
      step "confirming over stdio: ${program[1]##*.}" 300 "${program[@]}" --stdio "${stdio[@]}"
    done
  fi
  if wants browser; then
    if program=$(browser); then
      step "the operators' page in a browser" 180 "$node" "$here/browser.mjs" --modules "$work" --browser "$program" --serve "${serve[@]}"
    fi
  fi
  if wants replicas; then
    if program=$(installed nginx-light nginx /usr/sbin/nginx); then
      step "two bridges behind nginx" 120 "$node" "$here/replicas.mjs" --modules "$work" --nginx "$program" --serve "${serve[@]}"
    fi
  fi
}

# A Chromium: the system's, Debian's package, or the build that Playwright fetches where there is no package (Ubuntu's is
# a snap, which no container runs).
browser() {
  first_of chromium chromium-browser google-chrome && return
  if grep -q '^ID=ubuntu' /etc/os-release 2>/dev/null; then
    "$node" "$work/node_modules/playwright-core/cli.js" install --with-deps chromium >"$logs/chromium.log" 2>&1 &&
      "$node" -p "require('$work/node_modules/playwright-core').chromium.executablePath()" && return
  fi
  installed chromium chromium
}

# installed PACKAGE COMMAND...: the first of the commands there is; Debian's and Ubuntu's package brings one where none is.
installed() {
  local package=$1
  shift
  first_of "$@" && return
  { apt-get update -qq && apt-get install -y -qq --no-install-recommends "$package"; } >"$logs/$package.log" 2>&1
  first_of "$@" && return
  echo "there is no $1, and the package $package did not bring it: $logs/$package.log" >&2
  failed+=("$package is missing")
  return 1
}

first_of() {
  local name
  for name; do command -v "$name" && return; done
  return 1
}

clients() {
  local title=$1
  shift
  step "$title: TypeScript" 300 "$node" "$here/clients/sdk.mjs" --modules "$work" --without "$without" "$@"
  step "$title: Python" 300 "$work/venv/bin/python" "$here/clients/sdk.py" --without "$without" "$@"
}

# step TITLE SECONDS COMMAND...: runs one part and remembers whether it failed.
step() {
  local title=$1 seconds=$2
  shift 2
  printf '\n=== %s\n' "$title"
  timeout --kill-after=10 "$seconds" "$@" || failed+=("$title (exit $?)")
}

# start NAME PORT TEMPLATE DOCUMENT BASE: starts a server and waits until it listens.
start() {
  local name=$1 port=$2
  fill "$3" "$port" "$4" "$5"
  "${command[@]}" >"$logs/$name.log" 2>&1 </dev/null &
  local pid=$!
  children+=("$pid")
  for _ in $(seq 150); do
    if (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; then return 0; fi
    kill -0 "$pid" 2>/dev/null || break
    sleep 0.1
  done
  echo "$name did not listen on port $port: ${command[*]}"
  tail -n 20 "$logs/$name.log"
  return 1
}

# fill TEMPLATE PORT DOCUMENT BASE: leaves the words in `command`; only the template is split, so
# that paths may hold spaces.
fill() {
  local index word
  read -ra command <<<"$1"
  for index in "${!command[@]}"; do
    word=${command[index]}
    word=${word//\{root\}/$root}
    word=${word//\{binary\}/$binary}
    word=${word//\{port\}/$2}
    word=${word//\{document\}/$3}
    command[index]=${word//\{base\}/$4}
  done
}

# address NAME SUFFIX: the first address with this ending that a server has printed; it may listen
# a moment before it prints.
address() {
  for _ in $(seq 50); do
    if grep -oE "http://(127\.0\.0\.1|localhost):[0-9]+$2" "$logs/$1.log" | head -n 1 | grep .; then return; fi
    sleep 0.1
  done
}

wants() {
  [[ $parts == *" $1 "* ]]
}

free_port() {
  "$work/venv/bin/python" -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}

install_node() {
  node=$work/node_modules/node/bin/node
  if ! cmp -s "$here/package-lock.json" "$work/package-lock.json"; then
    rm -f "$work/package-lock.json"
    cp "$here/package.json" "$work/package.json"
    # npm needs the lock beside package.json; a copy that is complete marks a finished install.
    cp "$here/package-lock.json" "$work/package-lock.json"
    (cd "$work" && timeout 600 npm ci --no-audit --no-fund --loglevel=error) || {
      rm -f "$work/package-lock.json"
      echo "npm ci failed in $work"
      return 1
    }
  fi
  # npm may be told to run no install scripts, and the package's binary comes by one.
  [ -x "$node" ] || node=$(command -v node) || { echo "there is no $node and no other"; return 1; }
  "$node" -e 'process.exit(Number(process.versions.node.split(".")[0]) >= 22 ? 0 : 1)' ||
    { echo "$node is older than 22, which the suite needs"; return 1; }
}

install_python() {
  local venv=$work/venv
  if ! cmp -s "$here/requirements.txt" "$venv/installed.txt"; then
    python3 -m venv "$venv" &&
      timeout 600 "$venv/bin/pip" install --quiet --disable-pip-version-check -r "$here/requirements.txt" || {
      echo "pip failed in $venv"
      return 1
    }
    cp "$here/requirements.txt" "$venv/installed.txt"
  fi
}

stop_children() {
  local pid
  for pid in "${children[@]}"; do kill "$pid" 2>/dev/null; done
  for _ in $(seq 50); do
    for pid in "${children[@]}"; do kill -0 "$pid" 2>/dev/null && { sleep 0.1; continue 2; }; done
    break
  done
  for pid in "${children[@]}"; do kill -KILL "$pid" 2>/dev/null; done
  wait 2>/dev/null
}

main
