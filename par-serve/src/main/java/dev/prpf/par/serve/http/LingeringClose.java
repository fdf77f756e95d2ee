package dev.prpf.par.serve.http;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.server.ConnectionMetaData;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.util.BufferUtil;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.thread.Scheduler;

/**
 * The end of a connection whose request was answered before its body was read, as nginx's {@code lingering_close}: what the client still sends
 * is read and thrown away for five seconds at most. A connection that is closed with bytes unread is reset, and a reset can take the answer
 * from its client. Holds no thread while it waits.
 */
final class LingeringClose implements Callback {
    private static final long SECONDS = 5;
    private static final int BLOCK = 1 << 14;
    private static final int BLOCKS = 16; // in one go, then others have their turn

    private final EndPoint endPoint;
    private final Callback then;
    private final Scheduler.Task late;
    private final ByteBuffer block = BufferUtil.allocate(BLOCK);
    private long left;

    private LingeringClose(ConnectionMetaData connection, long most, Callback then) {
        endPoint = connection.getConnection().getEndPoint();
        left = most;
        this.then = then;
        late = connection.getConnector().getScheduler().schedule(endPoint::close, SECONDS, TimeUnit.SECONDS);
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
        new LingeringClose(request.getConnectionMetaData(), most, then).succeeded();
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
            int read = 1;
            for (int i = 0; i < BLOCKS && read > 0 && left > 0; i++) {
                BufferUtil.clear(block);
                read = endPoint.fill(block);
                left -= read;
            }
            // not so where Jetty itself still waits for the body, which was too slow
            if (read >= 0 && left > 0 && endPoint.tryFillInterested(this)) {
                return;
            }
        } catch (IOException e) {
            // the client has gone
        }
        end();
    }

    /** The client has gone, or its time is over. */
    @Override
    public void failed(Throwable e) {
        end();
    }

    private void end() {
        late.cancel();
        then.succeeded();
    }
}
