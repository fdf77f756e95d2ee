package dev.prpf.par.serve.http;

import dev.prpf.base.json.JsonRecords;
import io.javalin.http.Context;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** Server-sent events in OpenAI's format. The status is sent with the first event; until then a handler may still refuse. Not thread-safe. */
public final class EventStream {
    /** The client disconnected; no answer can be sent. */
    public static final class Gone extends RuntimeException {
        private static final long serialVersionUID = 1;

        Gone(@Nullable IOException cause) {
            super("the client went away", cause);
        }
    }

    private final Context context;

    public EventStream(Context context) {
        this.context = context;
    }

    /**
     * Sends an event {@code data: JSON}.
     *
     * @throws Gone if the client disconnected
     */
    public void send(Object record) {
        write("data: " + JsonRecords.write(record) + "\n\n");
    }

    /** Sends {@code event: NAME} with its data. */
    public void send(String event, Object record) {
        write("event: " + event + "\ndata: " + JsonRecords.write(record) + "\n\n");
    }

    /** Sends {@code data: [DONE]}, OpenAI's last event. */
    public void done() {
        write("data: [DONE]\n\n");
    }

    /** Returns whether the first event was sent, so that the status is final. */
    public boolean began() {
        return context.res().isCommitted();
    }

    /**
     * Reports a failure like vLLM: sends an event with the error object, then ends the stream.
     *
     * @param failure rethrown if nothing was sent yet, so that it gets its own status, or if the client disconnected
     */
    public void fail(RuntimeException failure) {
        send(refusal(failure));
        done();
    }

    /** Reports a failure by a named event, without OpenAI's last event: for streams of named events. */
    public void fail(String event, RuntimeException failure) {
        send(event, refusal(failure));
    }

    private Object refusal(RuntimeException failure) {
        if (!began() || failure instanceof Gone) {
            throw failure;
        }
        return ApiServer.refusalOf(context, failure).body();
    }

    /** Sends a comment, which clients ignore, so that proxies do not cut a silent connection. */
    public void keepAlive() {
        write(": keep-alive\n\n");
    }

    private void write(String text) {
        try {
            if (!context.res().isCommitted()) {
                context.res().setContentType("text/event-stream");
                context.res().setCharacterEncoding("UTF-8");
                context.res().setHeader("Cache-Control", "no-store");
                context.res().setHeader("X-Accel-Buffering", "no");
            }
            OutputStream out = context.res().getOutputStream();
            out.write(text.getBytes(StandardCharsets.UTF_8));
            out.flush();
        } catch (IOException e) {
            throw new Gone(e);
        }
    }
}
