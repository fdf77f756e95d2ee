package dev.prpf.par.openai;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;

/** A client that asks nothing twice: what its journal holds is not sent. Client and journal are closed with it. */
public final class JournaledClient implements AutoCloseable {
    private final ChatClient client;
    private final AnswerJournal journal;
    private final String model;

    /** @param model that the client asks */
    public JournaledClient(ChatClient client, AnswerJournal journal, String model) {
        this.client = client;
        this.journal = journal;
        this.model = model;
    }

    /**
     * A request in somebody's name.
     *
     * @param id of the sample
     */
    public record Question(String id, ChatRequest request) {}

    /**
     * One outcome a question, in order.
     *
     * @throws dev.prpf.data.run.PrpfException as {@link ChatClient#ask}; what was answered before is in the journal
     */
    public List<ChatOutcome> ask(List<Question> questions) {
        ChatOutcome[] outcomes = new ChatOutcome[questions.size()];
        List<Integer> open = new ArrayList<>();
        for (int i = 0; i < outcomes.length; i++) {
            ChatOutcome known = journal.find(questions.get(i).id(), body(questions.get(i)));
            if (known == null) {
                open.add(i);
            } else {
                outcomes[i] = known;
            }
        }
        List<ChatOutcome> answers =
                client.ask(open.stream().map(i -> questions.get(i).request()).toList(), (k, outcome) -> {
                    Question question = questions.get(open.get(k));
                    journal.add(question.id(), body(question), outcome);
                });
        for (int k = 0; k < open.size(); k++) {
            outcomes[open.get(k)] = answers.get(k);
        }
        return Collections.unmodifiableList(Arrays.asList(outcomes));
    }

    private String body(Question question) {
        return question.request().body(model).toString();
    }

    @Override
    public void close() {
        client.close();
        journal.close();
    }
}
