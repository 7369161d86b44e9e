//! Shows what waits, one request at a time, and takes the answers from lines of text.

use std::io::{self, Write};

use futures::StreamExt;
use futures::future::LocalBoxFuture;
use futures::stream::FuturesUnordered;
use switchboard_core::model::{Outcome, Reply};
use switchboard_core::view::View;
use switchboard_core::{Handle, Unresolved};
use tokio::io::{AsyncBufRead, Lines};

use crate::form::{Form, printable};

/// A person at a terminal.
pub(crate) struct Desk<Output> {
    board: Handle,
    output: Output,
    /// The request that is shown.
    form: Option<Form>,
    /// The answers that are on their way.
    answering: FuturesUnordered<LocalBoxFuture<'static, Result<Outcome, Unresolved>>>,
}

impl<Output: Write> Desk<Output> {
    pub(crate) fn new(board: &Handle, output: Output) -> Self {
        Self {
            board: board.clone(),
            output,
            form: None,
            answering: FuturesUnordered::new(),
        }
    }

    /// Answers until there are no more lines, and all that was answered has its end.
    pub(crate) async fn work(mut self, mut lines: Lines<impl AsyncBufRead + Unpin>) -> io::Result<()> {
        let mut views = self.board.views();
        let mut has_lines = true;
        while has_lines || !self.answering.is_empty() {
            tokio::select! {
                Some(view) = views.next(), if has_lines => self.show(&view)?,
                line = lines.next_line(), if has_lines => match line? {
                    Some(line) => self.take(&line)?,
                    None => has_lines = false,
                },
                Some(end) = self.answering.next() => match end {
                    Ok(outcome) => writeln!(self.output, "{}", told(&outcome))?,
                    Err(unresolved) => writeln!(self.output, "{unresolved}")?,
                },
                else => break,
            }
        }
        Ok(())
    }

    /// Shows the request that has waited longest, unless one is shown that still waits.
    fn show(&mut self, view: &View) -> io::Result<()> {
        let mut waiting = view.requests.iter().filter(|request| request.state.is_waiting());
        if let Some(form) = &self.form {
            if waiting
                .clone()
                .any(|request| request.request.asks_the_same(&form.request))
            {
                return Ok(());
            }
            writeln!(self.output, "This waits no longer.")?;
        }
        self.form = None;
        if let Some(request) = waiting.next() {
            let asking = request.origin.last().map_or("", |session| session.title.as_str());
            let form = self.form.insert(Form::new(request.request.clone()));
            writeln!(self.output, "{}: {}", printable(asking), form.shown())?;
        }
        self.output.flush()
    }

    fn take(&mut self, line: &str) -> io::Result<()> {
        let Some(form) = &mut self.form else {
            return writeln!(self.output, "Nothing waits.");
        };
        match form.take(line) {
            Some(reply) => self.answer(reply),
            None => writeln!(self.output, "{}", form.shown()),
        }
    }

    fn answer(&mut self, reply: Reply) -> io::Result<()> {
        let Some(mut form) = self.form.take() else {
            return Ok(());
        };
        match self.board.answer(&form.request, reply) {
            Ok(answering) => {
                self.answering.push(Box::pin(answering));
                writeln!(self.output, "Sending.")
            }
            Err(error) => {
                form.clear();
                writeln!(self.output, "This cannot be sent: {error}\n{}", form.shown())?;
                self.form = Some(form);
                Ok(())
            }
        }
    }
}

fn told(outcome: &Outcome) -> &'static str {
    match outcome {
        Outcome::Confirmed { .. } => "The agent has the answer.",
        Outcome::AnsweredElsewhere(_) => "Another client was first.",
        Outcome::Dismissed => "The question was dismissed.",
        Outcome::Gone(_) => "The agent no longer waits for this answer.",
        Outcome::Cancelled { .. } => "The run was stopped.",
    }
}
