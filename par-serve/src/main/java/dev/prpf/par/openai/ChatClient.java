package dev.prpf.par.openai;

import dev.prpf.base.error.PrpfException;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Asks one model, on one server or on several replicas of it. Several requests at a time, each tried again while that may help. */
public final class ChatClient implements ChatModel {
    private static final Logger LOG = LoggerFactory.getLogger(ChatClient.class);

    private final String model;
    private final ServerPool servers;

    /**
     * A client.
     *
     * @param environment where the API key stands
     * @param stopped polled while waiting; true ends the requests under way with 75
     * @throws PrpfException 69 if the variable that should hold the key is not set
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
     * Tells the listener one outcome a request. The first failure cancels the others that are under way.
     *
     * @throws PrpfException 69 where no server answers, one refuses the key or has not the model, 78 where one of several has other models or
     *     the model takes no pictures, 75 when stopped
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

        /** Made when it is sent, so that memory holds the pictures of those requests alone that are under way. */
        @Override
        public String body() {
            return request.body(model).toString();
        }

        @Override
        public int pictures() {
            return request.pictures();
        }

        /** A server that takes thoughts out of an answer may take it for one thought. */
        @Override
        public ChatOutcome read(byte[] said) throws IOException {
            ChatOutcome.Answer answer = ChatJson.answer(said);
            if (answer.text().isBlank() && ChatJson.hasReasoning(said)) {
                LOG.warn(
                        "{}: the server took the whole answer for reasoning, its text is empty; ask without thinking"
                                + " (extra-body: {chat_template_kwargs: {enable_thinking: false}}), or start the server"
                                + " without a reasoning parser",
                        name());
            }
            return answer;
        }

        @Override
        public ChatOutcome refused(ChatOutcome.NoAnswer refusal) {
            return refusal;
        }
    }

    /** Cancels the requests under way. */
    @Override
    public void close() {
        servers.close();
    }
}
