//! The bridge from outside: the real binary in front of a recording upstream.

#![allow(
    clippy::unwrap_used,
    reason = "a test that panics has failed, as it should"
)]
#![allow(clippy::too_many_lines, reason = "tables of cases are long")]
#![allow(unreachable_pub, reason = "a test binary exports nothing")]

#[cfg_attr(
    not(unix),
    allow(dead_code, unused_imports, reason = "signals are known on Unix alone")
)]
mod support;

mod access;
mod answers;
mod answers_headers;
mod approvals;
mod arguments;
mod audit;
mod bodies;
mod busy;
mod check;
mod commands;
mod confirm;
mod corrections;
mod credentials;
mod declared_keys;
mod deviations;
mod documents;
mod dotnet_builtins;
mod dotnet_contract;
mod dotnet_document;
mod dotnet_envelopes;
mod dotnet_long;
mod dotnet_passed_over;
mod dotnet_real;
mod dotnet_refused;
mod dotnet_replay;
mod dotnet_results;
mod dotnet_unreadable;
mod dotnet_words;
mod examples;
mod exchange;
mod faults;
mod fetching;
mod forms;
mod hostile;
mod hostile_documents;
mod hostile_memory;
mod load;
mod metadata;
mod outbound;
mod pages;
mod parameters;
mod paths;
mod planted;
mod protocol;
mod questions;
mod readme;
mod refusals;
mod reloading;
mod replicas;
mod restrictions;
mod schemas;
mod search;
mod settings;
mod shown;
mod tls;
mod tokens;
mod toolset;
mod toolset_end;
mod toolset_life;
mod toolset_output;
mod toolset_sessions;
mod toolset_trust;
mod toolset_words;
mod torn;
