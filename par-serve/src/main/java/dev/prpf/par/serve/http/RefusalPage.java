package dev.prpf.par.serve.http;

import dev.prpf.base.json.JsonRecords;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.handler.ErrorHandler;
import org.eclipse.jetty.util.Callback;
import org.jspecify.annotations.Nullable;

/** Formats Jetty's own errors, from before any handler, as OpenAI's error object; repeats nothing of the request. */
final class RefusalPage extends ErrorHandler {
    private final HttpSettings limits;

    RefusalPage(HttpSettings limits) {
        this.limits = limits;
    }

    @Override
    public boolean errorPageForMethod(String method) {
        return true;
    }

    @Override
    protected void generateResponse(
            Request request,
            Response response,
            int status,
            @Nullable String message,
            @Nullable Throwable cause,
            Callback callback) {
        response.getHeaders().put(HttpHeader.CONTENT_TYPE, "application/json");
        Content.Sink.write(response, true, JsonRecords.write(body(status)), callback);
    }

    private ApiException.Body body(int status) {
        return switch (status) {
            case 404 ->
                ApiException.notFound(null, "unknown_path", "there is no such path")
                        .body();
            case 408 ->
                ApiException.tooSlow("the request did not arrive within " + limits.idleTimeout() + " s")
                        .body();
            case 413 -> ApiException.tooLarge("the body is too long").body();
            case 414, 431 ->
                ApiException.tooLarge(
                                "the request line and the headers are longer than " + limits.maxHeaderKb() + " KiB")
                        .body();
            case 503 ->
                ApiException.unavailable(null, "the server is shutting down").body();
            default ->
                status < 500 || status == 505
                        ? ApiException.invalid(null, "the request is not valid HTTP/1.1 (status " + status + ")")
                                .body()
                        : ApiException.unnamedBug(status).body();
        };
    }
}
