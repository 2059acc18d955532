//! A stream of the other side.
use crate::poll::{FfiCx, RPoll, lend};
use abi_stable::{
    StableAbi, sabi_trait,
    std_types::{RBox, ROption},
};
use std::task::{Context, Poll};

/// What a stream implements on its own side: `Stream` without a crate for it.
pub trait PollNext: Send {
    /// What it yields.
    type Item;
    /// The next item, `None` when it has ended; after `None` it is not polled again.
    fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Option<Self::Item>>;
}

#[doc(hidden)]
#[sabi_trait]
pub trait StreamObject<T>: Send {
    #[sabi(last_prefix_field)]
    fn poll_next_item(&mut self, cx: FfiCx<'_>) -> RPoll<ROption<T>>;
}

struct Local<S>(S);

impl<T, S: PollNext<Item = T>> StreamObject<T> for Local<S> {
    fn poll_next_item(&mut self, cx: FfiCx<'_>) -> RPoll<ROption<T>> {
        cx.with(|cx| self.0.poll_next(cx)).map(ROption::from).into()
    }
}

/// A stream that may cross. Dropping it drops the stream on its own side, which cancels it there.
#[repr(transparent)]
#[derive(StableAbi)]
pub struct FfiStream<T>(StreamObject_TO<'static, RBox<()>, T>);

impl<T: 'static> FfiStream<T> {
    /// Wraps a stream of this side; neither its poll nor its drop may panic.
    pub fn new<S: PollNext<Item = T> + 'static>(stream: S) -> Self {
        FfiStream(StreamObject_TO::from_value(Local(stream), sabi_trait::TD_Opaque))
    }

    /// A stream of one item.
    pub fn once(item: T) -> Self
    where
        T: Send,
    {
        struct Once<T>(Option<T>);
        impl<T: Send> PollNext for Once<T> {
            type Item = T;
            fn poll_next(&mut self, _: &mut Context<'_>) -> Poll<Option<T>> {
                Poll::Ready(self.0.take())
            }
        }
        FfiStream::new(Once(Some(item)))
    }
}

impl<T> FfiStream<T> {
    /// The next item, `None` when the stream has ended.
    pub fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Option<T>> {
        Poll::from(lend(cx, |cx| self.0.poll_next_item(cx))).map(ROption::into_option)
    }
}

impl<T> Unpin for FfiStream<T> {}

impl<T> std::fmt::Debug for FfiStream<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("FfiStream")
    }
}
