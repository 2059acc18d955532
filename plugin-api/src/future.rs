//! A future of the other side.
use crate::poll::{FfiCx, RPoll, lend};
use abi_stable::{StableAbi, sabi_trait, std_types::RBox};
use std::{
    future::Future,
    pin::Pin,
    task::{Context, Poll},
};

#[doc(hidden)]
#[sabi_trait]
pub trait FutureObject<T>: Send {
    #[sabi(last_prefix_field)]
    fn poll_future(&mut self, cx: FfiCx<'_>) -> RPoll<T>;
}

struct Local<F>(F);

impl<T, F: Future<Output = T> + Send> FutureObject<T> for Local<F> {
    fn poll_future(&mut self, cx: FfiCx<'_>) -> RPoll<T> {
        // SAFETY: `self` lives in the box of an `FfiFuture` (opaque: nobody can take it out) until it is dropped.
        let future = unsafe { Pin::new_unchecked(&mut self.0) };
        cx.with(|cx| future.poll(cx)).into()
    }
}

/// A future that may cross. Dropping it drops the future on its own side, which cancels it there.
///
/// Whoever makes one sees to it that neither poll nor drop panics: the SDK guards every author future.
#[repr(transparent)]
#[derive(StableAbi)]
pub struct FfiFuture<T>(FutureObject_TO<'static, RBox<()>, T>);

impl<T: 'static> FfiFuture<T> {
    /// Wraps a future of this side.
    pub fn new<F: Future<Output = T> + Send + 'static>(future: F) -> Self {
        FfiFuture(FutureObject_TO::from_value(Local(future), sabi_trait::TD_Opaque))
    }

    /// A future that is ready at once.
    pub fn ready(value: T) -> Self
    where
        T: Send,
    {
        FfiFuture::new(std::future::ready(value))
    }
}

impl<T> Future for FfiFuture<T> {
    type Output = T;
    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<T> {
        lend(cx, |cx| self.0.poll_future(cx)).into()
    }
}

impl<T> Unpin for FfiFuture<T> {}

impl<T> std::fmt::Debug for FfiFuture<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("FfiFuture")
    }
}
