package dev.prpf.par.serve.http;

import io.javalin.http.Context;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.eclipse.jetty.ee10.servlet.ServletContextRequest;
import org.eclipse.jetty.io.EndPoint;

/**
 * The connection that a request came on, to see whether its client still waits. HTTP/1.1 tells only by reading: while a handler runs nobody
 * else reads. A byte that comes early, from a client that sends its next request before the answer, ends the connection with this answer.
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

    /** Whether the client hung up; asked before the answer begins: behind that, writing tells. */
    public boolean closed() {
        if (early) {
            return !endPoint.isOpen();
        }
        ByteBuffer one = ByteBuffer.allocate(1);
        one.flip(); // Jetty fills behind the limit
        try {
            int read = endPoint.fill(one);
            if (read > 0) {
                early = true;
                if (context.res().isCommitted()) {
                    cut(); // too late to tell, and what follows would be read as a request without its first byte
                    return true;
                }
                context.header("Connection", "close");
            }
            return read < 0;
        } catch (IOException e) {
            return true;
        }
    }

    /** Ends the connection where it is: a client must see that an answer which had begun is not whole. */
    public void cut() {
        endPoint.close();
    }
}
