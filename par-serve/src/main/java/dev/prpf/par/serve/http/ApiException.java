package dev.prpf.par.serve.http;

import dev.prpf.par.generate.GenerationRequest.GenerationRefused;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** A refused or failed request: an HTTP status with OpenAI's error object. */
public final class ApiException extends RuntimeException {
    private static final long serialVersionUID = 1;
    private static final Duration SOON = Duration.ofSeconds(2);

    private final int status;
    private final String type;
    private final @Nullable String parameter;
    private final @Nullable String code;
    private final @Nullable Duration retryAfter;

    private ApiException(
            int status,
            String type,
            @Nullable String parameter,
            @Nullable String code,
            @Nullable Duration retryAfter,
            String message) {
        super(message);
        this.status = status;
        this.type = type;
        this.parameter = parameter;
        this.code = code;
        this.retryAfter = retryAfter;
    }

    /**
     * 400: the request is invalid.
     *
     * @param parameter path of the invalid field from the body's root ({@code messages[0].content}); null for the whole body
     * @param message field, value and rule
     */
    public static ApiException invalid(@Nullable String parameter, String message) {
        return new ApiException(400, "invalid_request_error", parameter, null, null, message);
    }

    /** 400: the prompt leaves no room in the model's context. */
    public static ApiException contextLengthExceeded(@Nullable String parameter, String message) {
        return new ApiException(400, "invalid_request_error", parameter, "context_length_exceeded", null, message);
    }

    /** 401: the request has no valid API key. */
    public static ApiException unauthorized() {
        String message = "a valid API key is needed: send it as \"Authorization: Bearer KEY\"";
        return new ApiException(401, "authentication_error", null, "invalid_api_key", null, message);
    }

    /** 403: the API key is not allowed to do this. */
    public static ApiException forbidden(String message) {
        return new ApiException(403, "permission_error", null, null, null, message);
    }

    /** 404: the path or the object named by a field does not exist. */
    public static ApiException notFound(@Nullable String parameter, String code, String message) {
        return new ApiException(404, "not_found_error", parameter, code, null, message);
    }

    /** 405: the path does not support the method. */
    static ApiException methodNotAllowed(String method, String allowed) {
        String message = "this path has no method " + method + ", it has " + allowed;
        return new ApiException(405, "invalid_request_error", null, "method_not_allowed", null, message);
    }

    /** 409: conflicts with a request in progress. */
    public static ApiException conflict(String message) {
        return new ApiException(409, "conflict_error", null, "conflict", null, message);
    }

    /** 408: the body arrives too slowly, or not at all. */
    public static ApiException tooSlow(String message) {
        return new ApiException(408, "timeout_error", null, "request_too_slow", null, message);
    }

    /** 413: the body as a whole exceeds a limit of the server. */
    public static ApiException tooLarge(String message) {
        return tooLarge(null, message);
    }

    /**
     * 413: a field exceeds a limit of the server.
     *
     * @param parameter path of the field, as in {@link #invalid}
     */
    public static ApiException tooLarge(@Nullable String parameter, String message) {
        return new ApiException(413, "invalid_request_error", parameter, "request_too_large", null, message);
    }

    /** 415: the body is not JSON. */
    public static ApiException notJson(String message) {
        return new ApiException(415, "invalid_request_error", null, "unsupported_media_type", null, message);
    }

    /** 429: the queue is full. */
    public static ApiException overloaded(Duration retryAfter, String message) {
        return new ApiException(429, "rate_limit_error", null, "overloaded", retryAfter, message);
    }

    /** 503: the server drains, or a component that the request needs has failed or was not loaded. */
    public static ApiException unavailable(@Nullable Duration retryAfter, String message) {
        return new ApiException(503, "service_unavailable_error", null, "unavailable", retryAfter, message);
    }

    /** 504: the request's time ran out before its answer began. */
    public static ApiException timeout(String message) {
        return new ApiException(504, "timeout_error", null, "timeout", null, message);
    }

    /** Returns the status of a request that the generation service did not take or finish: 400, 429, 503 or 504. */
    static ApiException of(GenerationRefused refused) {
        String message = String.valueOf(refused.getMessage());
        return switch (refused.reason()) {
            case TOO_LONG -> contextLengthExceeded("messages", message);
            case FULL -> overloaded(SOON, message);
            case LATE -> timeout(message);
            case STOPPED -> unavailable(SOON, message);
            case FAILED -> unavailable(null, message);
        };
    }

    /** 500: a bug of the server. The message contains nothing of the request. */
    static ApiException bug(String requestId) {
        String message = "the server failed at this request; its log has the cause under " + requestId;
        return new ApiException(500, "server_error", null, null, null, message);
    }

    /** An error with status 500 or above outside of all handlers. */
    static ApiException unnamedBug(int status) {
        return new ApiException(status, "server_error", null, null, null, "the server failed at this request");
    }

    public int status() {
        return status;
    }

    @Nullable
    Duration retryAfter() {
        return retryAfter;
    }

    /** Returns the body {@code {"error": {"message", "type", "param", "code"}}}. */
    public Body body() {
        return new Body(new Detail(String.valueOf(getMessage()), type, parameter, code));
    }

    /** OpenAI's error object as a body. */
    public record Body(Detail error) {}

    /** The fields of OpenAI's error object. */
    public record Detail(String message, String type, @Nullable String param, @Nullable String code) {}
}
