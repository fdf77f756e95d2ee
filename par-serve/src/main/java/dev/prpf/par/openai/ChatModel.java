package dev.prpf.par.openai;

import java.util.List;

/** A model that answers chat requests, on a server ({@link ChatClient}) or elsewhere. */
public interface ChatModel extends AutoCloseable {
    int HASH_SHOWN = 12;

    /** Name of the model; answers of models with different names are kept apart. */
    String model();

    /** Receives outcomes as they arrive, in any order, one at a time. */
    @FunctionalInterface
    interface Listener {
        void came(int index, ChatOutcome outcome);
    }

    /** Receives an answer while it is written, on the thread that requests it. An exception cancels the request. */
    interface Progress {
        /** Receives new text of the answer. */
        void wrote(String text);

        /** Called ten times a second until the end of the answer. */
        void waiting();
    }

    /**
     * Passes one outcome for each request to the listener.
     *
     * @throws dev.prpf.base.error.PrpfException 69 if the model cannot be reached, 75 when stopped; earlier outcomes were passed on
     */
    void ask(List<ChatRequest> requests, Listener listener);

    /** Returns an id for provenance: the kind, the model, and a hash over all settings that influence answers. */
    default String id(String kind, String settings) {
        return kind + ":" + model() + ":" + AnswerJournal.sha256(settings).substring(0, HASH_SHOWN);
    }

    @Override
    void close();
}
