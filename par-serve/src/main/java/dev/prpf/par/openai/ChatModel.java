package dev.prpf.par.openai;

import java.util.List;

/** A model that answers requests: on a server ({@link ChatClient}), or whatever else keeps to this. */
public interface ChatModel extends AutoCloseable {
    int HASH_SHOWN = 12;

    /** Names the model; answers of models with different names are never taken for each other. */
    String model();

    /** Is told of outcomes as they come, in any order, one at a time. */
    @FunctionalInterface
    interface Listener {
        void came(int index, ChatOutcome outcome);
    }

    /**
     * Tells the listener one outcome a request.
     *
     * @throws dev.prpf.base.error.PrpfException 69 where the model cannot be reached, 75 when stopped; what came before was told
     */
    void ask(List<ChatRequest> requests, Listener listener);

    /** Names what answers: its kind, the model, and a hash over all settings that decide its answers. */
    default String id(String kind, String settings) {
        return kind + ":" + model() + ":" + AnswerJournal.sha256(settings).substring(0, HASH_SHOWN);
    }

    @Override
    void close();
}
