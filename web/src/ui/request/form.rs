//! What is filled in for a request. Choosing never sends.

use switchboard_core::model::{Answers, DraftField, Question, Request};

/// The form of one request, shared by every place that shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Form {
    /// One field per question; one for a permission, whose text is the word of a rejection.
    pub fields: Vec<DraftField>,
    /// The question in front.
    pub tab: usize,
    /// What is to be confirmed, in place.
    pub sheet: Option<Sheet>,
    /// A person has changed something: a draft that is loaded later does not replace it.
    pub touched: bool,
}

/// Something that asks once before it happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sheet {
    /// Turning a question away.
    Dismiss,
    /// Allowing a pattern from then on.
    Always,
    /// Forbidding, with or without a word for the agent.
    Reject,
}

impl Form {
    /// An empty form, or what was kept of it.
    #[must_use]
    pub fn new(request: &Request, kept: Option<&[DraftField]>) -> Self {
        let count = request.questions().len().max(1);
        let mut fields = kept.map(<[DraftField]>::to_vec).unwrap_or_default();
        fields.resize_with(count, DraftField::default);
        Self {
            fields,
            tab: 0,
            sheet: None,
            touched: false,
        }
    }

    /// Chooses an option; of several choices it is toggled, of one it replaces what was chosen.
    pub fn choose(&mut self, place: usize, question: &Question, label: &str) {
        self.touched = true;
        let field = &mut self.fields[place];
        let was = field.chosen.iter().any(|chosen| chosen == label);
        if question.multiple {
            field.chosen.retain(|chosen| chosen != label);
            if !was {
                field.chosen.push(label.to_owned());
                let order = |label: &String| question.options.iter().position(|option| option.label == *label);
                field.chosen.sort_by_key(order);
            }
        } else {
            field.chosen = vec![label.to_owned()];
            field.own_chosen = false;
        }
    }

    /// Chooses the own answer, or gives that up again. Its text stays.
    pub fn choose_own(&mut self, place: usize, question: &Question, chosen: bool) {
        self.touched = true;
        let field = &mut self.fields[place];
        field.own_chosen = chosen;
        if chosen && !question.multiple {
            field.chosen.clear();
        }
    }

    /// Types an own answer, which chooses it; emptying it gives it up.
    pub fn type_own(&mut self, place: usize, question: &Question, text: String) {
        let has_text = !text.trim().is_empty();
        self.fields[place].own = text;
        self.choose_own(place, question, has_text);
    }

    /// Fills in answers that were given before: labels are chosen, other texts typed.
    pub fn take(&mut self, answers: &Answers, request: &Request) {
        self.touched = true;
        for ((field, given), question) in self.fields.iter_mut().zip(answers).zip(request.questions()) {
            let is_option = |text: &String| question.options.iter().any(|option| option.label == *text);
            let (chosen, own): (Vec<String>, Vec<String>) = given.iter().cloned().partition(is_option);
            *field = DraftField {
                chosen,
                own_chosen: !own.is_empty(),
                own: own.join(", "),
            };
        }
    }

    /// Types the word of a rejection.
    pub fn type_word(&mut self, text: String) {
        self.touched = true;
        let field = &mut self.fields[0];
        field.own_chosen = !text.trim().is_empty();
        field.own = text;
    }

    /// The word of a rejection, if there is one.
    #[must_use]
    pub fn word(&self) -> Option<String> {
        let word = self.fields[0].own.trim();
        (!word.is_empty()).then(|| word.to_owned())
    }

    /// True when this question has an answer.
    #[must_use]
    pub fn is_answered(&self, place: usize) -> bool {
        !self.fields[place].answer().is_empty()
    }

    /// The first question after the one in front, or before it, that has no answer.
    #[must_use]
    pub fn next_open(&self) -> Option<usize> {
        let count = self.fields.len();
        (1..=count)
            .map(|step| (self.tab + step) % count)
            .find(|place| !self.is_answered(*place))
    }

    /// How many questions have no answer.
    #[must_use]
    pub fn open_count(&self) -> usize {
        (0..self.fields.len()).filter(|place| !self.is_answered(*place)).count()
    }

    /// What would be sent.
    #[must_use]
    pub fn answers(&self) -> Answers {
        self.fields.iter().map(DraftField::answer).collect()
    }
}

#[cfg(test)]
mod tests {
    use switchboard_core::model::{Ask, Choice};

    use super::*;

    fn question(labels: &[&str], multiple: bool) -> Question {
        let options = labels
            .iter()
            .map(|label| Choice {
                label: (*label).to_owned(),
                description: String::new(),
            })
            .collect();
        Question {
            text: "?".to_owned(),
            header: String::new(),
            options,
            multiple,
            custom: true,
        }
    }

    fn form(questions: Vec<Question>) -> Form {
        let request = Request {
            id: "que_1".into(),
            session: "ses_1".into(),
            directory: "/d".into(),
            tool: None,
            ask: Ask::Questions(questions),
        };
        Form::new(&request, None)
    }

    #[test]
    fn a_single_choice_holds_one_answer_and_keeps_the_typed_text() {
        let colours = question(&["Red", "Blue"], false);
        let mut form = form(vec![colours.clone()]);
        form.choose(0, &colours, "Red");
        form.type_own(0, &colours, "Teal".to_owned());
        assert_eq!(form.answers(), [["Teal"]]);
        form.choose(0, &colours, "Blue");
        assert_eq!(form.answers(), [["Blue"]]);
        assert_eq!(form.fields[0].own, "Teal");
        form.choose_own(0, &colours, true);
        assert_eq!(form.answers(), [["Teal"]]);
    }

    #[test]
    fn several_choices_are_sent_in_the_order_of_the_options() {
        let toppings = question(&["Cheese", "Olives", "Ham"], true);
        let mut form = form(vec![toppings.clone()]);
        for label in ["Ham", "Cheese", "Olives", "Olives"] {
            form.choose(0, &toppings, label);
        }
        form.type_own(0, &toppings, "Basil".to_owned());
        assert_eq!(form.answers(), [["Cheese", "Ham", "Basil"]]);
    }

    #[test]
    fn an_answer_given_before_is_filled_in_and_not_sent() {
        let colours = question(&["Red", "Blue"], true);
        let request = Request {
            id: "que_2".into(),
            session: "ses_1".into(),
            directory: "/d".into(),
            tool: None,
            ask: Ask::Questions(vec![colours]),
        };
        let mut form = Form::new(&request, None);
        form.take(&vec![vec!["Blue".to_owned(), "Teal".to_owned()]], &request);
        assert_eq!(form.answers(), [["Blue", "Teal"]]);
        assert_eq!(form.fields[0].own, "Teal");
    }

    #[test]
    fn next_leads_to_every_question_without_an_answer() {
        let yes = question(&["Yes"], false);
        let mut form = form(vec![yes.clone(), yes.clone(), yes.clone()]);
        form.choose(1, &yes, "Yes");
        assert_eq!((form.next_open(), form.open_count()), (Some(2), 2));
        form.tab = 2;
        form.choose(2, &yes, "Yes");
        assert_eq!((form.next_open(), form.open_count()), (Some(0), 1));
        form.choose(0, &yes, "Yes");
        assert_eq!((form.next_open(), form.open_count()), (None, 0));
    }
}
