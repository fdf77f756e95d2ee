package dev.prpf.par.serve.http;

import io.javalin.http.Context;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.eclipse.jetty.ee10.servlet.ServletContextRequest;
import org.eclipse.jetty.io.EndPoint;

/**
 * The connection of a request, to check whether its client still waits. HTTP/1.1 shows this only by reading; no other code reads while a handler
 * runs. An early byte, from a client that pipelines its next request, ends the connection after this answer.
 */
public final class ClientConnection {
    private final Context context;
    private final EndPoint endPoint;
    private boolean early;

    public ClientConnection(Context context) {
        this.context = context;
        endPoint = ServletContextRequest.getServletContextRequest(context.req())
                .getConnectionMetaData()
                .getConnection()
                .getEndPoint();
    }

    /** @throws EventStream.Gone if {@link #closed} */
    public void requireOpen() {
        if (closed()) {
            throw new EventStream.Gone(null);
        }
    }

    /** Returns whether the client disconnected. Call before the answer begins; afterwards, writing detects it. */
    public boolean closed() {
        if (early) {
            return !endPoint.isOpen();
        }
        ByteBuffer one = ByteBuffer.allocate(1);
        one.flip(); // Jetty fills after the limit
        try {
            int read = endPoint.fill(one);
            if (read > 0) {
                early = true;
                if (context.res().isCommitted()) {
                    cut(); // too late, and the rest would be read as a request without its first byte
                    return true;
                }
                context.header("Connection", "close");
            }
            return read < 0;
        } catch (IOException e) {
            return true;
        }
    }

    /** Closes the connection at once: the client must see that a begun answer is incomplete. */
    public void cut() {
        endPoint.close();
    }
}
