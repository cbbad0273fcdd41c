//! A sidecar that turns OpenAPI (Swagger) documents into MCP tools.
//!
//! One call reads top to bottom through the modules below, which stand in the order of the flow:
//!
//! 1. [`config`]: flags, environment and one YAML file become one checked configuration.
//! 2. [`openapi`]: each document is read, its references resolved, and brought into one normal form.
//! 3. [`discovery`]: every operation becomes a tool, or a reason why not.
//! 4. [`registry`]: tools by name, immutable, swapped whole on reload.
//! 5. [`invoke`]: find the tool, validate and bind the arguments ([`binding`]), carry the plan out
//!    ([`handler`]), understand the reply ([`interpret`]), under the rules of [`policy`].
//! 6. [`mcp`]: a JSON-RPC answer exactly as the client's protocol revision wants it; where the tools are
//!    too many to list, [`search`] finds them.
//! 7. [`transport`]: Streamable HTTP or stdio. Calls that wait for an operator are decided on a page ([`approvals`]).
//!
//! What several replicas would have to share is in [`state`]; places in documents and arguments are named by JSON pointers ([`mod@pointer`]),
//! times are written by [`time`], and [`wakes`] spares connections turns in vain.

pub mod app;
pub mod approvals;
pub mod binding;
pub mod cli;
pub mod config;
pub mod discovery;
pub mod handler;
pub mod interpret;
pub mod invoke;
pub mod mcp;
pub mod openapi;
pub mod outbound;
pub mod pointer;
pub mod policy;
pub mod registry;
pub mod search;
pub mod secret;
pub mod state;
pub mod telemetry;
pub mod time;
pub mod tool;
pub mod transport;
pub mod tree;
pub mod wakes;
