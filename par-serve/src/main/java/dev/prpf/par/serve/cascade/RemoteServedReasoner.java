package dev.prpf.par.serve.cascade;

import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.base.http.BusyException;
import dev.prpf.base.http.Retrier;
import dev.prpf.data.FunctionPool;
import dev.prpf.data.Sample.Modality;
import dev.prpf.data.ScenarioCatalog;
import dev.prpf.data.encode.EncodingCost;
import dev.prpf.data.encode.EncodingCost.Costed;
import dev.prpf.data.encode.ImageFolder;
import dev.prpf.data.io.CallChecker;
import dev.prpf.par.cascade.Reasoner;
import dev.prpf.par.cascade.RemoteReasoner;
import dev.prpf.par.openai.ChatClient;
import dev.prpf.par.openai.ChatModel;
import dev.prpf.par.openai.ChatModel.ChatOutcome;
import dev.prpf.par.openai.ChatRequest;
import dev.prpf.par.prompt.PromptRenderer;
import dev.prpf.par.prompt.PromptSettings.PromptWording;
import dev.prpf.par.response.ParResponse;
import dev.prpf.par.response.SchemaStream;
import dev.prpf.par.serve.cascade.ServedCascade.UnreadableImage;
import dev.prpf.par.serve.http.ApiException;
import dev.prpf.par.serve.http.FairGate;
import java.io.IOException;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A reasoner on servers with the OpenAI protocol. A request is never retried: its client decides about that. Clients get neither addresses nor
 * words of a failed server, which are in the log. Calls of other functions than the candidates are malformed.
 */
public final class RemoteServedReasoner implements ServedReasoner {
    private static final Logger LOG = LoggerFactory.getLogger(RemoteServedReasoner.class);
    private static final Duration SOON = Duration.ofSeconds(2);
    private static final int TOO_MANY = 429;

    private final RemoteReasoner reasoner;
    private final PerceiverService perceiver;
    private final FairGate turns;

    /**
     * @param client of the settings' model; the caller closes it
     * @param perceiver reads the screenshots
     * @param limits of the requests at the servers
     */
    public RemoteServedReasoner(
            RemoteReasoner.RemoteSettings settings,
            ChatClient client,
            ScenarioCatalog catalog,
            PerceiverService perceiver,
            FairGate.Limits limits) {
        PromptRenderer renderer = new PromptRenderer(settings.prompt(), catalog, perceiver.screens());
        reasoner = new RemoteReasoner(settings, client, null, renderer, new ImageFolder(null));
        this.perceiver = perceiver;
        turns = new FairGate(
                limits,
                new FairGate.Refusals(() -> ApiException.overloaded(
                        SOON, "too many requests wait for the reasoner's server; try again later")));
    }

    @Override
    public PromptWording wording() {
        return reasoner.settings().prompt().wording();
    }

    @Override
    public Reasoner.Reasoning reason(String caller, Reasoner.Request request, Listener listener) {
        Costed<ChatRequest> chat = request.sample().modality() == Modality.MULTIMODAL
                ? seen(perceiver.limited(new Client(caller, listener::waiting)), request)
                : reasoner.chat(request);
        return turns.turn(caller, listener::waiting, () -> answered(request, chat, listener));
    }

    private Costed<ChatRequest> seen(Client waiting, Reasoner.Request request) {
        EncodingCost read = perceiver.readTexts(waiting, reasoner.renderer(), request.sample());
        Costed<ChatRequest> chat = perceiver.run(waiting, () -> reasoner.chat(request));
        return new Costed<>(chat.result(), chat.cost().plus(read));
    }

    private Reasoner.Reasoning answered(Reasoner.Request request, Costed<ChatRequest> chat, Listener listener) {
        String id = request.sample().id();
        long start = System.nanoTime();
        Writing writing = new Writing(
                listener, listener.watches() && reasoner.settings().structured() ? new SchemaStream() : null);
        try {
            ChatOutcome outcome = reasoner.client().stream(chat.result(), writing);
            if (outcome instanceof ChatOutcome.TooLong) {
                throw ApiException.contextLengthExceeded(
                        listener.trajectoryField(),
                        "the prompt is too long for the model; send a shorter trajectory or context");
            } else if (outcome instanceof ChatOutcome.Refused refusal) {
                throw unusable(id, refusal.reason());
            }
            writing.tell("", true);
            return checked(
                    request, reasoner.reasoning(request, outcome, (System.nanoTime() - start) / 1e9, chat.cost()));
        } catch (CancellationException e) {
            return new Reasoner.Reasoning("", new ParResponse.Malformed(0, "not wanted"), null);
        } catch (IOException e) {
            throw failed(id, e);
        } catch (PrpfException e) {
            throw e instanceof InvalidDataException && UnreadableImage.in(request.sample()) != null
                    ? e
                    : unusable(id, String.valueOf(e.getMessage()));
        }
    }

    private static ApiException unusable(String id, String reason) {
        LOG.error("request {}: the reasoner's server cannot be used: {}", id, withoutQuotation(reason));
        return ApiException.unavailable(
                null, "the reasoner's server cannot be used; the log has the reason under " + id);
    }

    /** Replaces what the server wrote, since servers quote requests in their messages and no log line may have a user's text. */
    static String withoutQuotation(String reason) {
        int first = reason.indexOf('"');
        int last = reason.lastIndexOf('"');
        return first < 0
                ? reason
                : reason.substring(0, first) + "(the server's words are left out)" + reason.substring(last + 1);
    }

    private static ApiException failed(String id, IOException failure) {
        LOG.warn(
                "request {}: the reasoner's server gave no whole answer: {}",
                id,
                withoutQuotation(Retrier.reason(failure)));
        if (ChatClient.isLate(failure)) {
            return ApiException.timeout("the reasoner's server did not end its answer within the request's time");
        }
        BusyException busy = failure instanceof BusyException status ? status : null;
        Duration wait = Objects.requireNonNullElse(busy == null ? null : busy.retryAfter(), SOON);
        return busy != null && busy.status() == TOO_MANY
                ? ApiException.overloaded(wait, "the reasoner's server takes no more requests now; try again later")
                : ApiException.unavailable(
                        wait, "the reasoner's server gave no whole answer; try again later, perceiving still works");
    }

    private Reasoner.Reasoning checked(Reasoner.Request request, Reasoner.Reasoning reasoning) {
        String fault = fault(request, reasoning.response());
        if (fault == null) {
            return reasoning;
        }
        if (!reasoning.text().isBlank()) { // the client has warned about an empty one
            LOG.warn(
                    "request {}: the answer of the reasoner's server is malformed: {}; {}",
                    request.sample().id(),
                    fault,
                    reasoner.settings().advice());
        }
        ParResponse.Malformed malformed = new ParResponse.Malformed(0, fault);
        return new Reasoner.Reasoning(reasoning.text(), malformed, reasoning.finish(), reasoning.cost());
    }

    /** Returns why a response may not be used, without values of its calls; null if it may. */
    private static @Nullable String fault(Reasoner.Request request, ParResponse response) {
        if (!(response instanceof ParResponse.Parsed parsed)) {
            return ((ParResponse.Malformed) response).why();
        }
        FunctionPool candidates = new FunctionPool(request.candidates().functions());
        return parsed.recommendations().stream()
                .flatMap(recommendation -> recommendation.calls().stream())
                .flatMap(call -> CallChecker.fatal(candidates, call).stream())
                .map(defect -> "at " + defect.path() + ": " + defect.message())
                .findFirst()
                .orElse(null);
    }

    /** Passes an answer on while the server writes it; ends it with a {@link CancellationException} if the listener wants no more. */
    private record Writing(Listener listener, @Nullable SchemaStream schema, ResponseParts parts)
            implements ChatModel.Progress {
        Writing(Listener listener, @Nullable SchemaStream schema) {
            this(listener, schema, new ResponseParts(listener::wrote));
        }

        @Override
        public void wrote(String text) {
            tell(schema == null ? text : schema.add(text), false);
        }

        @Override
        public void waiting() {
            listener.waiting();
        }

        void tell(String text, boolean ended) {
            if (listener.watches() && !parts.tell(text, ended)) {
                throw new CancellationException();
            }
        }
    }
}
