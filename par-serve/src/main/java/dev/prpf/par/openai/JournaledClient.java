package dev.prpf.par.openai;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * A client that sends nothing twice: what its journal holds is taken from there. Client and journal are closed with it.
 *
 * @param model that the client asks
 */
public record JournaledClient(ChatClient client, AnswerJournal journal, String model) implements AutoCloseable {
    private static final int HASH_SHOWN = 12;

    /** Names what answers: its kind, the model, and a hash over all settings that decide its answers. */
    public String id(String kind, String settings) {
        return kind + ":" + model + ":" + AnswerJournal.sha256(settings).substring(0, HASH_SHOWN);
    }

    /** {@link #ask(List, Runnable)} without progress. */
    public List<ChatOutcome> ask(List<ChatRequest> requests) {
        return ask(requests, () -> {});
    }

    /**
     * One outcome a request, in order. Equal requests of one sample are sent once.
     *
     * @param answered runs once a request as soon as its outcome is there, one at a time
     * @throws dev.prpf.base.error.PrpfException as {@link ChatClient#ask}; what was answered before is in the journal
     */
    public List<ChatOutcome> ask(List<ChatRequest> requests, Runnable answered) {
        Map<Key, ChatRequest> open = new LinkedHashMap<>();
        Map<Key, ChatOutcome> outcomes = new HashMap<>();
        List<Key> order = requests.stream().map(this::key).toList();
        for (int i = 0; i < order.size(); i++) {
            Key key = order.get(i);
            ChatOutcome known = journal.find(key.id(), key.body());
            if (known == null) {
                open.putIfAbsent(key, requests.get(i));
            } else {
                outcomes.put(key, known);
                answered.run();
            }
        }
        List<Key> sent = List.copyOf(open.keySet());
        client.ask(List.copyOf(open.values()), (k, outcome) -> {
            journal.add(sent.get(k).id(), sent.get(k).body(), outcome);
            outcomes.put(sent.get(k), outcome);
            order.stream().filter(sent.get(k)::equals).forEach(key -> answered.run());
        });
        return order.stream()
                .map(key -> Objects.requireNonNull(outcomes.get(key)))
                .toList();
    }

    private record Key(String id, String body) {}

    private Key key(ChatRequest request) {
        return new Key(request.id(), request.body(model).toString());
    }

    @Override
    public void close() {
        client.close();
        journal.close();
    }
}
