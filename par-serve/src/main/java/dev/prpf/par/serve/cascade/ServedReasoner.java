package dev.prpf.par.serve.cascade;

import dev.prpf.par.cascade.Reasoner;
import dev.prpf.par.prompt.PromptSettings.PromptWording;
import dev.prpf.par.serve.http.ApiException;
import org.jspecify.annotations.Nullable;

/** The reasoner of a served cascade: in this process ({@link LocalServedReasoner}) or on a server ({@link RemoteServedReasoner}). Thread-safe. */
public interface ServedReasoner {
    /** Receives a response while it is generated. */
    interface Listener {
        /** Returns whether the text is streamed. */
        boolean watches();

        /** Receives new text; false cancels the rest. */
        boolean wrote(ResponseParts.Delta delta);

        /** Returns the field that contained the trajectory, for error messages; null where the request has none. */
        @Nullable
        String trajectoryField();

        /** Called while the response is awaited. @throws dev.prpf.par.serve.http.EventStream.Gone if the client disconnected */
        void waiting();
    }

    PromptWording wording();

    /**
     * Generates a response for a sample.
     *
     * @param caller API key, for fair turns
     * @throws ApiException 400 if the prompt is too long, 429 without room, 503 if the reasoner does not work, 504 if its time ran out
     * @throws dev.prpf.par.generate.GenerationRequest.GenerationRefused as {@link dev.prpf.par.serve.generation.GenerationService#submit}
     */
    Reasoner.Reasoning reason(String caller, Reasoner.Request request, Listener listener);
}
