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
 * Closes a connection that was answered before its body was read, like nginx's {@code lingering_close}. Reads and drops the client's remaining bytes
 * for up to five seconds. Closing with unread bytes would reset the connection, and a reset can drop the answer. Holds no thread while waiting.
 */
final class LingeringClose implements Callback {
    private static final long SECONDS = 5;
    private static final int BLOCK = 1 << 14;
    private static final int BLOCKS = 16; // per call, then other connections have their turn

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
     * Ends an answered request.
     *
     * @param most bytes to drop
     * @param then closes the connection if it does not persist
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
            // not where Jetty itself still waits for a body that was too slow
            if (read >= 0 && left > 0 && endPoint.tryFillInterested(this)) {
                return;
            }
        } catch (IOException e) {
            // the client disconnected
        }
        end();
    }

    /** Called when the client disconnected or the time is over. */
    @Override
    public void failed(Throwable e) {
        end();
    }

    private void end() {
        late.cancel();
        then.succeeded();
    }
}
