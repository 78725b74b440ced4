//! The last answer to a question that is often asked twice in a row.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

/// Remembers one question with its answer: a command reads the same state several times,
/// and shows several viewers the same map.
pub struct Last<Q, A>(Mutex<Option<(Q, Arc<A>)>>);

impl<Q, A> Default for Last<Q, A> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<Q, A> fmt::Debug for Last<Q, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Last")
    }
}

impl<Q, A> Last<Q, A> {
    /// The answer: the one remembered, if the question is the same, or a new one.
    ///
    /// # Errors
    /// There is no new one; what was remembered stays.
    pub fn get<T, E>(
        &self,
        question: &T,
        answer: impl FnOnce() -> Result<A, E>,
    ) -> Result<Arc<A>, E>
    where
        Q: std::borrow::Borrow<T>,
        T: ?Sized + PartialEq + ToOwned<Owned = Q>,
    {
        // A poisoned memory is no worse than none.
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, answer)) = last.as_ref().filter(|(asked, _)| asked.borrow() == question) {
            return Ok(Arc::clone(answer));
        }
        let answer = Arc::new(answer()?);
        *last = Some((question.to_owned(), Arc::clone(&answer)));
        Ok(answer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_same_question_has_the_answer_remembered() {
        let last: Last<String, usize> = Last::default();
        let asked = std::cell::Cell::new(0);
        let ask = |text: &str| {
            *last
                .get(text, || {
                    asked.set(asked.get() + 1);
                    if text.is_empty() { Err(()) } else { Ok(text.len()) }
                })
                .unwrap_or_default()
        };
        assert_eq!((ask("one"), ask("one"), asked.get()), (3, 3, 1));
        assert_eq!((ask(""), ask("one"), asked.get()), (0, 3, 2));
        assert_eq!((ask("three"), ask("one"), asked.get()), (5, 3, 4));
    }
}
