package dev.prpf.par.openai;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

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
     * One outcome a question, in order. What is asked several times in one name is sent once.
     *
     * @throws dev.prpf.base.error.PrpfException as {@link ChatClient#ask}; what was answered before is in the journal
     */
    public List<ChatOutcome> ask(List<Question> questions) {
        Map<Asked, Question> open = new LinkedHashMap<>();
        Map<Asked, ChatOutcome> outcomes = new HashMap<>();
        List<Asked> order = questions.stream().map(this::asked).toList();
        for (int i = 0; i < order.size(); i++) {
            Asked asked = order.get(i);
            ChatOutcome known = journal.find(asked.id(), asked.body());
            if (known == null) {
                open.putIfAbsent(asked, questions.get(i));
            } else {
                outcomes.put(asked, known);
            }
        }
        List<Asked> sent = List.copyOf(open.keySet());
        List<ChatOutcome> answers = client.ask(
                open.values().stream().map(Question::request).toList(),
                (k, outcome) -> journal.add(sent.get(k).id(), sent.get(k).body(), outcome));
        for (int k = 0; k < sent.size(); k++) {
            outcomes.put(sent.get(k), answers.get(k));
        }
        return order.stream()
                .map(asked -> Objects.requireNonNull(outcomes.get(asked)))
                .toList();
    }

    private record Asked(String id, String body) {}

    private Asked asked(Question question) {
        return new Asked(question.id(), question.request().body(model).toString());
    }

    @Override
    public void close() {
        client.close();
        journal.close();
    }
}
