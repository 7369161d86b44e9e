//! What is filled in for a request. Choosing never sends.

use std::sync::Arc;

use switchboard_core::model::{Answers, DraftField, Question, Request};

use crate::state::written::Written;

/// The form of one request, shared by every place that shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Form {
    /// The request as it was shown when this was filled in.
    pub request: Arc<Request>,
    /// One field per question; one for a permission, whose text is the message of a rejection.
    fields: Vec<Field>,
    /// The question in front.
    pub tab: usize,
    /// What is to be confirmed, in place.
    pub sheet: Option<Sheet>,
    /// The drafts of it that this tab has written.
    written: Written<Vec<DraftField>>,
}

/// What is filled in for one question.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Field {
    /// The chosen options, by their places: labels need not differ.
    chosen: Vec<usize>,
    /// The own answer. It counts as chosen when `own_chosen` is set.
    own: String,
    /// The own answer is chosen.
    own_chosen: bool,
}

/// Something that asks once before it happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sheet {
    /// Turning a question away.
    Dismiss,
    /// Allowing a pattern from then on.
    Always,
    /// Forbidding, with or without a message for the agent.
    Reject,
}

impl Form {
    /// An empty form, or what was kept of it.
    #[must_use]
    pub fn new(request: Arc<Request>, kept: &[DraftField]) -> Self {
        let mut form = Self {
            request,
            fields: Vec::new(),
            tab: 0,
            sheet: None,
            written: Written::default(),
        };
        form.fill_in(kept);
        form
    }

    /// Notes that what is filled in is kept on this device, and returns it.
    pub fn write(&mut self) -> Vec<DraftField> {
        let drafted = self.drafted();
        self.written.write(drafted.clone());
        drafted
    }

    /// Takes what is kept on this device: loaded after the form was made, or written in another tab, with the request as
    /// it was shown then.
    pub fn observe(&mut self, shown: &Arc<Request>, kept: &[DraftField]) {
        if !self.written.observe(&kept.to_vec()) {
            return;
        }
        if !self.request.asks_the_same(shown) {
            if !self.is_blank() {
                return;
            }
            self.request = shown.clone();
        }
        // Labels do not tell which of two options of the same name is chosen.
        if self.drafted() != kept {
            self.fill_in(kept);
        }
    }

    /// A draft holds labels, and may hold more or fewer fields than there are questions.
    fn fill_in(&mut self, kept: &[DraftField]) {
        let count = self.request.questions().len().max(1);
        let field = |place: usize| {
            let kept = kept.get(place).cloned().unwrap_or_default();
            let options = self.question(place).map(labels).unwrap_or_default();
            Field {
                chosen: places(&kept.chosen, &options).0,
                own: kept.own,
                own_chosen: kept.own_chosen,
            }
        };
        self.fields = (0..count).map(field).collect();
    }

    /// What is kept on this device.
    #[must_use]
    pub fn drafted(&self) -> Vec<DraftField> {
        let field = |(place, field): (usize, &Field)| DraftField {
            chosen: self.chosen_labels(place),
            own: field.own.clone(),
            own_chosen: field.own_chosen,
        };
        self.fields.iter().enumerate().map(field).collect()
    }

    /// Goes on with a newer version of the request. Options that are still offered stay chosen, and texts are kept.
    pub fn adopt(&mut self, request: Arc<Request>) {
        let drafted = self.drafted();
        self.request = request;
        self.fields.clear();
        self.fill_in(&drafted);
        let lost = drafted.iter().skip(self.fields.len()).map(|field| field.own.as_str());
        let lost: Vec<&str> = lost.filter(|text| !text.trim().is_empty()).collect();
        if let Some(last) = self.fields.last_mut() {
            for text in lost {
                if !last.own.is_empty() {
                    last.own.push('\n');
                }
                last.own.push_str(text);
            }
        }
        self.tab = self.tab.min(self.fields.len() - 1);
        self.sheet = None;
    }

    fn question(&self, place: usize) -> Option<&Question> {
        self.request.questions().get(place)
    }

    fn chosen_labels(&self, place: usize) -> Vec<String> {
        let options = self.question(place).map_or(&[][..], |question| &question.options);
        let field = self.fields.get(place);
        let chosen = field.into_iter().flat_map(|field| &field.chosen);
        chosen
            .filter_map(|option| Some(options.get(*option)?.label.clone()))
            .collect()
    }

    /// Chooses an option; of several choices it is toggled, of one it replaces what was chosen.
    pub fn choose(&mut self, place: usize, option: usize) {
        let is_multiple = self.question(place).is_some_and(|question| question.multiple);
        let Some(field) = self.fields.get_mut(place) else {
            return;
        };
        if !is_multiple {
            field.chosen = vec![option];
            field.own_chosen = false;
        } else if field.chosen.contains(&option) {
            field.chosen.retain(|chosen| *chosen != option);
        } else {
            field.chosen.push(option);
            field.chosen.sort_unstable();
        }
    }

    /// True when this option is chosen.
    #[must_use]
    pub fn is_chosen(&self, place: usize, option: usize) -> bool {
        self.fields
            .get(place)
            .is_some_and(|field| field.chosen.contains(&option))
    }

    /// Chooses the own answer, or gives that up again. Its text stays.
    pub fn choose_own(&mut self, place: usize, chosen: bool) {
        let is_multiple = self.question(place).is_some_and(|question| question.multiple);
        let Some(field) = self.fields.get_mut(place) else {
            return;
        };
        field.own_chosen = chosen;
        if chosen && !is_multiple {
            field.chosen.clear();
        }
    }

    /// True when the own answer is chosen.
    #[must_use]
    pub fn is_own_chosen(&self, place: usize) -> bool {
        self.fields.get(place).is_some_and(|field| field.own_chosen)
    }

    /// True when the own answer is part of what would be sent: a blank one is not.
    #[must_use]
    pub fn gives_own(&self, place: usize) -> bool {
        self.is_own_chosen(place) && !self.own(place).trim().is_empty()
    }

    /// Types an own answer, which chooses it; emptying it gives it up.
    pub fn type_own(&mut self, place: usize, text: String) {
        let has_text = !text.trim().is_empty();
        if let Some(field) = self.fields.get_mut(place) {
            field.own = text;
        }
        self.choose_own(place, has_text);
    }

    /// The text of the own answer.
    #[must_use]
    pub fn own(&self, place: usize) -> &str {
        self.fields.get(place).map_or("", |field| &field.own)
    }

    /// Fills in answers that were given before: labels are chosen, other texts typed.
    pub fn take(&mut self, answers: &Answers) {
        let questions = self.request.clone();
        for ((field, given), question) in self.fields.iter_mut().zip(answers).zip(questions.questions()) {
            let (chosen, own) = places(given, &labels(question));
            *field = Field {
                chosen,
                own_chosen: !own.is_empty(),
                own: own.join(", "),
            };
        }
    }

    /// Types the message of a rejection.
    pub fn type_word(&mut self, text: String) {
        self.type_own(0, text);
    }

    /// The message of a rejection, if there is one.
    #[must_use]
    pub fn word(&self) -> Option<String> {
        let word = self.own(0).trim();
        (!word.is_empty()).then(|| word.to_owned())
    }

    /// True when nothing is chosen and nothing typed.
    #[must_use]
    pub fn is_blank(&self) -> bool {
        self.fields
            .iter()
            .all(|field| field.chosen.is_empty() && field.own.trim().is_empty())
    }

    /// How many questions there are; 1 for a permission.
    #[must_use]
    pub fn count(&self) -> usize {
        self.fields.len()
    }

    /// What would be sent for this question.
    #[must_use]
    pub fn answer(&self, place: usize) -> Vec<String> {
        let own = self.gives_own(place).then(|| self.own(place).to_owned());
        self.chosen_labels(place).into_iter().chain(own).collect()
    }

    /// True when this question has an answer.
    #[must_use]
    pub fn is_answered(&self, place: usize) -> bool {
        !self.answer(place).is_empty()
    }

    /// The first question after the one in front, or before it, that has no answer.
    #[must_use]
    pub fn next_open(&self) -> Option<usize> {
        let count = self.count();
        (1..=count)
            .map(|step| (self.tab + step) % count)
            .find(|place| !self.is_answered(*place))
    }

    /// How many questions have no answer.
    #[must_use]
    pub fn open_count(&self) -> usize {
        (0..self.count()).filter(|place| !self.is_answered(*place)).count()
    }

    /// What would be sent.
    #[must_use]
    pub fn answers(&self) -> Answers {
        (0..self.count()).map(|place| self.answer(place)).collect()
    }
}

fn labels(question: &Question) -> Vec<&str> {
    question.options.iter().map(|option| option.label.as_str()).collect()
}

/// The places of these texts among the labels, each used once, in order; and the texts that are no label.
fn places(texts: &[String], labels: &[&str]) -> (Vec<usize>, Vec<String>) {
    let (mut chosen, mut others) = (Vec::new(), Vec::new());
    for text in texts {
        let is_free = |(place, label): &(usize, &&str)| **label == text && !chosen.contains(place);
        match labels.iter().enumerate().find(is_free) {
            Some((place, _)) => chosen.push(place),
            None => others.push(text.clone()),
        }
    }
    chosen.sort_unstable();
    (chosen, others)
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

    fn request(questions: Vec<Question>) -> Arc<Request> {
        Arc::new(Request {
            id: "que_1".into(),
            session: "ses_1".into(),
            directory: "/d".into(),
            tool: None,
            ask: Ask::Questions(questions),
        })
    }

    fn form(questions: Vec<Question>) -> Form {
        Form::new(request(questions), &[])
    }

    fn kept(chosen: &[&str], own: &str) -> DraftField {
        DraftField {
            chosen: chosen.iter().map(|label| (*label).to_owned()).collect(),
            own: own.to_owned(),
            own_chosen: !own.is_empty(),
        }
    }

    #[test]
    fn a_single_choice_holds_one_answer_and_keeps_the_typed_text() {
        let mut form = form(vec![question(&["Red", "Blue"], false)]);
        form.choose(0, 0);
        form.type_own(0, "Teal".to_owned());
        assert_eq!(form.answers(), [["Teal"]]);
        form.choose(0, 1);
        assert_eq!(form.answers(), [["Blue"]]);
        assert_eq!(form.own(0), "Teal");
        form.choose_own(0, true);
        assert_eq!(form.answers(), [["Teal"]]);
    }

    #[test]
    fn several_choices_are_sent_in_the_order_of_the_options() {
        let mut form = form(vec![question(&["Cheese", "Olives", "Ham"], true)]);
        for option in [2, 0, 1, 1] {
            form.choose(0, option);
        }
        form.type_own(0, "Basil".to_owned());
        assert_eq!(form.answers(), [["Cheese", "Ham", "Basil"]]);
    }

    #[test]
    fn a_blank_own_answer_is_not_given() {
        let mut form = form(vec![question(&["Cheese", "Olives"], true)]);
        form.choose(0, 1);
        form.choose_own(0, true);
        assert_eq!(
            (form.answers(), form.gives_own(0)),
            (vec![vec!["Olives".to_owned()]], false)
        );
        form.type_own(0, "Basil".to_owned());
        assert!(form.gives_own(0));
    }

    #[test]
    fn options_of_the_same_name_are_chosen_each_by_itself() {
        let mut form = form(vec![question(&["Same", "Other", "Same"], true)]);
        form.choose(0, 2);
        assert_eq!([0, 1, 2].map(|option| form.is_chosen(0, option)), [false, false, true]);
        form.choose(0, 0);
        assert_eq!(form.answers(), [["Same", "Same"]]);
        let restored = Form::new(form.request.clone(), &form.drafted());
        assert_eq!(restored.answers(), [["Same", "Same"]]);
        form.choose(0, 2);
        assert_eq!(form.answers(), [["Same"]]);
    }

    #[test]
    fn the_second_of_two_options_of_the_same_name_stays_chosen_whenever_the_view_changes() {
        let mut form = form(vec![question(&["Same", "Other", "Same"], true)]);
        let shown = form.request.clone();
        form.choose(0, 2);
        let kept = form.write();
        for _ in 0..2 {
            form.observe(&shown, &kept);
            assert_eq!([0, 1, 2].map(|option| form.is_chosen(0, option)), [false, false, true]);
        }
    }

    #[test]
    fn an_answer_given_before_is_filled_in_and_not_sent() {
        let mut form = form(vec![question(&["Red", "Blue"], true)]);
        form.take(&vec![vec!["Blue".to_owned(), "Teal".to_owned()]]);
        assert_eq!(form.answers(), [["Blue", "Teal"]]);
        assert_eq!(form.own(0), "Teal");
    }

    #[test]
    fn next_leads_to_every_question_without_an_answer() {
        let yes = question(&["Yes"], false);
        let mut form = form(vec![yes.clone(), yes.clone(), yes]);
        form.choose(1, 0);
        assert_eq!((form.next_open(), form.open_count()), (Some(2), 2));
        form.tab = 2;
        form.choose(2, 0);
        assert_eq!((form.next_open(), form.open_count()), (Some(0), 1));
        form.choose(0, 0);
        assert_eq!((form.next_open(), form.open_count()), (None, 0));
    }

    #[test]
    fn a_draft_of_any_length_fits() {
        let colours = question(&["Red", "Blue"], false);
        let long = [kept(&["Red"], ""), kept(&[], "Teal"), kept(&["Blue"], "")];
        let mut one = form(vec![colours.clone()]);
        one.observe(&one.request.clone(), &long);
        assert_eq!(one.answers(), [["Red"]]);
        let mut three = form(vec![colours.clone(), colours.clone(), colours]);
        three.observe(&three.request.clone(), &[kept(&["Gone", "Blue"], "")]);
        assert_eq!(three.answers()[0], ["Blue"]);
        assert_eq!((three.count(), three.open_count()), (3, 2));
        three.choose(9, 0);
        three.type_own(9, "nowhere".to_owned());
        assert_eq!((three.own(9), three.is_answered(9)), ("", false));
    }

    /// R13
    #[test]
    fn what_another_tab_keeps_is_filled_in_unless_something_of_this_tab_is_on_its_way() {
        let mut here = form(vec![question(&["Red", "Blue"], false)]);
        let shown = here.request.clone();
        let theirs = [kept(&["Red"], "")];
        here.type_own(0, "Teal".to_owned());
        let first = here.write();
        here.observe(&shown, &theirs);
        assert_eq!(here.own(0), "Teal");
        here.observe(&shown, &first);
        here.observe(&shown, &theirs);
        assert_eq!((here.answers(), here.own(0)), (vec![vec!["Red".to_owned()]], ""));
    }

    /// R13
    #[test]
    fn a_changed_request_keeps_what_was_typed() {
        let two = vec![question(&["Red", "Blue"], false), question(&["Yes"], false)];
        let mut form = form(two);
        form.choose(0, 1);
        form.type_own(1, "only on Fridays".to_owned());
        form.tab = 1;
        form.adopt(request(vec![question(&["Blue", "Green"], false)]));
        assert_eq!(form.answers(), [["Blue"]]);
        assert_eq!((form.own(0), form.tab), ("only on Fridays", 0));
        form.write();
        form.observe(&form.request.clone(), &[]);
        assert_eq!(form.answers(), [["Blue"]]);
    }

    /// R13
    #[test]
    fn a_draft_of_another_version_brings_what_was_shown_then() {
        let then = request(vec![question(&["Red", "Blue"], false)]);
        let mut form = form(vec![question(&["Green"], false)]);
        let draft = [kept(&["Red"], "")];
        form.observe(&then, &draft);
        assert_eq!(
            (form.answers(), form.request.clone()),
            (vec![vec!["Red".to_owned()]], then.clone())
        );
    }
}
