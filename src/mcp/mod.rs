//! The protocol: message in, messages out; knows no transport.
