package dev.prpf.par.serve.http;

import dev.prpf.base.json.JsonRecords;
import io.javalin.http.Context;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;

/**
 * Server-sent events, as OpenAI sends them. The status goes out with the first event: until then a handler may still refuse. Not for several
 * threads at once.
 */
public final class EventStream {
    /** A client went away; there is nobody to tell. */
    public static final class Gone extends RuntimeException {
        private static final long serialVersionUID = 1;

        Gone(IOException cause) {
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
}
