package dev.prpf.par.openai;

import dev.prpf.base.error.PrpfException;
import dev.prpf.par.openai.ChatModel.ChatOutcome;
import dev.prpf.par.openai.CompletionRequest.Continuation;
import java.io.IOException;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpTimeoutException;
import java.util.ArrayList;
import java.util.Collections;
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
        servers.ask(
                requests.stream()
                        .map(request -> new Call(request, model, false))
                        .toList(),
                listener::came);
    }

    /**
     * Returns the continuations of each token prompt, in order. Servers must return ids and log-probabilities of tokens: vLLM from 0.10.2 on
     * ({@code return_token_ids}) and {@code prpf serve}.
     *
     * @throws PrpfException as {@link #ask}. Also 78 if a prompt does not fit the server's context, or a server returns no ids or another prompt
     */
    public List<List<Continuation>> complete(List<CompletionRequest> requests) {
        List<List<Continuation>> answers = new ArrayList<>(Collections.nCopies(requests.size(), List.of()));
        servers.ask(requests.stream().map(request -> request.call(model)).toList(), answers::set);
        return List.copyOf(answers);
    }

    /**
     * Requests one answer on the calling thread and passes its text on as it arrives. Each server that is due gets the request at most once,
     * within {@code request-timeout} in all, and none after the first text.
     *
     * @throws IOException if no server gives a whole answer
     * @throws PrpfException 69 if a server rejects the key or lacks the model. 78 if a replica has other models or the model takes no images
     */
    public ChatOutcome stream(ChatRequest request, Progress progress) throws IOException {
        return servers.stream(new Call(request, model, true), progress);
    }

    /** Returns whether {@link #stream} failed because a server that was reached did not end its answer in time. */
    public static boolean isLate(IOException failure) {
        return failure instanceof HttpTimeoutException && !(failure instanceof HttpConnectTimeoutException);
    }

    /**
     * Checks that the servers are up and have the model. A server that is down is only logged.
     *
     * @throws PrpfException as {@link #ask}
     */
    public void check() {
        servers.checkAll();
    }

    private record Call(ChatRequest request, String model, boolean streamed) implements ServerPool.Call<ChatOutcome> {
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
            return (streamed ? request.streamedBody(model) : request.body(model)).toString();
        }

        @Override
        public int images() {
            return request.images();
        }

        @Override
        public ChatOutcome read(byte[] said) throws IOException {
            return warned(name(), ChatJson.answer(said), ChatJson.hasReasoning(ChatJson.message(said)));
        }

        @Override
        public ChatOutcome refused(ChatOutcome.NoAnswer refusal) {
            return refusal;
        }
    }

    /** Returns an answer; warns if the server's reasoning parser took all of it for reasoning. */
    static ChatOutcome.Answer warned(String name, ChatOutcome.Answer answer, boolean reasoned) {
        if (answer.text().isBlank() && reasoned) {
            LOG.warn(
                    "{}: the server took the whole answer for reasoning, its text is empty; turn thinking off"
                            + " (extra-body: {chat_template_kwargs: {enable_thinking: false}}), or start the"
                            + " server without a reasoning parser",
                    name);
        }
        return answer;
    }

    /** Cancels the running requests. */
    @Override
    public void close() {
        servers.close();
    }
}
