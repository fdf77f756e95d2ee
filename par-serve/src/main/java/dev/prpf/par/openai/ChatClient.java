package dev.prpf.par.openai;

import dev.prpf.base.error.PrpfException;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Client of one model on one server or several replicas. Sends several requests in parallel, with retries. */
public final class ChatClient implements ChatModel {
    private static final Logger LOG = LoggerFactory.getLogger(ChatClient.class);

    private final String model;
    private final ServerPool servers;

    /**
     * Makes a client of one model.
     *
     * @param environment environment variables, for the API key
     * @param stopped polled while waiting; true ends the running requests with 75
     * @throws PrpfException 69 if the key's variable is not set
     */
    public ChatClient(ServerSettings settings, String model, Map<String, String> environment, BooleanSupplier stopped) {
        this(settings, model, environment, stopped, ServerPool.Pace.of(settings));
    }

    ChatClient(
            ServerSettings settings,
            String model,
            Map<String, String> environment,
            BooleanSupplier stopped,
            ServerPool.Pace pace) {
        this.model = model;
        this.servers = new ServerPool(settings, model, environment, stopped, pace);
    }

    @Override
    public String model() {
        return model;
    }

    /**
     * Passes one outcome for each request to the listener. The first failure cancels the running requests.
     *
     * @throws PrpfException 69 if no server answers, or one rejects the key or lacks the model. 78 if a replica has other models or the model
     *     takes no images. 75 when stopped
     */
    @Override
    public void ask(List<ChatRequest> requests, Listener listener) {
        servers.ask(requests.stream().map(request -> new Call(request, model)).toList(), listener::came);
    }

    private record Call(ChatRequest request, String model) implements ServerPool.Call<ChatOutcome> {
        @Override
        public String path() {
            return "/chat/completions";
        }

        @Override
        public String name() {
            return request.name();
        }

        /** Makes the body when it is sent, so that memory holds only the images of running requests. */
        @Override
        public String body() {
            return request.body(model).toString();
        }

        @Override
        public int images() {
            return request.images();
        }

        /** Reads an answer; warns if the server's reasoning parser took all of it for reasoning. */
        @Override
        public ChatOutcome read(byte[] said) throws IOException {
            ChatOutcome.Answer answer = ChatJson.answer(said);
            if (answer.text().isBlank() && ChatJson.hasReasoning(said)) {
                LOG.warn(
                        "{}: the server took the whole answer for reasoning, its text is empty; turn thinking off"
                                + " (extra-body: {chat_template_kwargs: {enable_thinking: false}}), or start the"
                                + " server without a reasoning parser",
                        name());
            }
            return answer;
        }

        @Override
        public ChatOutcome refused(ChatOutcome.NoAnswer refusal) {
            return refusal;
        }
    }

    /** Cancels the running requests. */
    @Override
    public void close() {
        servers.close();
    }
}
