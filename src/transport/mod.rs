//! Bytes to messages: Streamable HTTP and stdio.
