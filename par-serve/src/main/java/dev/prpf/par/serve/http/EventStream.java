package dev.prpf.par.serve.http;

import dev.prpf.base.json.JsonRecords;
import io.javalin.http.Context;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Server-sent events, as OpenAI sends them. The status goes out with the first event: until then a handler may still refuse. Not for several
 * threads at once.
 */
public final class EventStream {
    /** A client went away; there is nobody to tell. */
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
     * Sends {@code data: JSON}.
     *
     * @throws Gone if nobody takes it
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

    /** Whether the first event went out, so that the status can be no other any more. */
    public boolean began() {
        return context.res().isCommitted();
    }

    /**
     * Tells of a failure as vLLM does, by an event that holds the error object, and ends.
     *
     * @param failure thrown again where nothing went out yet, so that it is answered with a status of its own, or nobody is there any more
     */
    public void fail(RuntimeException failure) {
        if (!began() || failure instanceof Gone) {
            throw failure;
        }
        send(ApiServer.told(context, failure).body());
        done();
    }

    /** Sends a comment, which clients ignore, so that a line that is silent for long is not cut. */
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

    /** As {@link #fail(RuntimeException)}, by an event of a name and without OpenAI's last one: for streams of named events. */
    public void fail(String event, RuntimeException failure) {
        if (!began() || failure instanceof Gone) {
            throw failure;
        }
        send(event, ApiServer.told(context, failure).body());
    }
}
