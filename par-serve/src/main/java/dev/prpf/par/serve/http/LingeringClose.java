package dev.prpf.par.serve.http;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.util.BufferUtil;
import org.eclipse.jetty.util.Callback;

/**
 * The end of a connection whose request was answered before its body was read, as nginx's {@code lingering_close}: what the client still sends
 * is read and thrown away for a while. A connection that is closed with bytes unread is reset, and a reset can take the answer from its client.
 * Holds no thread.
 */
final class LingeringClose implements Callback {
    private static final long MOST_NANOS = TimeUnit.SECONDS.toNanos(5);
    private static final int BLOCK = 1 << 14;

    private final EndPoint endPoint;
    private final Callback then;
    private final long end = System.nanoTime() + MOST_NANOS;
    private final ByteBuffer block = BufferUtil.allocate(BLOCK);
    private long left;

    private LingeringClose(EndPoint endPoint, long most, Callback then) {
        this.endPoint = endPoint;
        this.left = most;
        this.then = then;
    }

    /**
     * Ends a request that was answered.
     *
     * @param most bytes to throw away
     * @param then what closes the connection where it does not persist
     */
    static void end(Request request, long most, Callback then) {
        if (request.getConnectionMetaData().isPersistent() || isRead(request)) {
            then.succeeded();
            return;
        }
        new LingeringClose(request.getConnectionMetaData().getConnection().getEndPoint(), most, then).succeeded();
    }

    private static boolean isRead(Request request) {
        Content.Chunk chunk = request.read();
        if (chunk == null) {
            return false;
        }
        chunk.release();
        return chunk.isLast() && !Content.Chunk.isFailure(chunk);
    }

    @Override
    public void succeeded() {
        try {
            while (left > 0 && System.nanoTime() < end) {
                BufferUtil.clear(block);
                int read = endPoint.fill(block);
                if (read == 0 && endPoint.tryFillInterested(this)) {
                    return;
                }
                if (read <= 0) {
                    break; // its end, or Jetty still waits for it: the body was too slow
                }
                left -= read;
            }
        } catch (IOException e) {
            // the client has gone
        }
        then.succeeded();
    }

    @Override
    public void failed(Throwable e) {
        then.succeeded();
    }
}
