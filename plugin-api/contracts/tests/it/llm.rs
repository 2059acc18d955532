//! `llm`: the rules of a stream, its blocks, its client, its request.
mod invariant;
mod assembler;
mod client;
mod request;
