package dev.prpf.base.hub;

import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.UnavailableException;
import dev.prpf.base.http.BusyException;
import dev.prpf.base.http.Retrier;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpResponse;

/** Turns the hub's error responses into messages with a next step, by {@code X-Error-Code} and status. */
record HubErrors(HubRequest request, HubEnvironment environment) {
    private static final int BAD_REQUEST = 400;
    private static final int UNAUTHORIZED = 401;
    private static final int FORBIDDEN = 403;
    private static final int NOT_FOUND = 404;

    /**
     * Throws if a response is an error.
     *
     * @throws BusyException for a temporary error
     * @throws PrpfException 69 for every other error
     */
    void require(URI address, HttpResponse<?> response) throws BusyException {
        int status = response.statusCode();
        if (status < BAD_REQUEST) {
            return;
        }
        if (BusyException.isBusy(status)) {
            throw BusyException.of(shown(address) + " answered with status " + status, response);
        }
        throw new UnavailableException(refusal(address, response));
    }

    private String refusal(URI address, HttpResponse<?> response) {
        int status = response.statusCode();
        String code = response.headers().firstValue("X-Error-Code").orElse("");
        String said = response.headers().firstValue("X-Error-Message").orElse("");
        String at = " at " + environment.endpoint();
        return switch (code) {
            case "GatedRepo" ->
                request.repository() + " is gated" + at + ": accept its terms at " + page()
                        + " and set HF_TOKEN to a token of the account that did (" + sent() + ")";
            case "RevisionNotFound" ->
                request.repository() + at + " has no revision " + request.revision()
                        + "; name one of its branches, tags or commits with --revision";
            case "EntryNotFound" -> request.what() + at + " has no file " + address.getPath();
            case "RepoNotFound" -> noRepository(at);
            default -> code.isEmpty() && isUnknown(address, status) ? noRepository(at) : other(address, status, said);
        };
    }

    /** Returns the address without its query: after a redirect the query holds a signature, which is a secret like the token. */
    static String shown(URI address) {
        return address.getScheme() + "://" + address.getRawAuthority() + address.getPath();
    }

    /** Returns whether the repository is unknown: a mirror may omit the code, and only API requests name whole repositories. */
    private static boolean isUnknown(URI address, int status) {
        return (status == NOT_FOUND || status == UNAUTHORIZED)
                && address.getPath().contains("/api/");
    }

    private String noRepository(String at) {
        return "there is no " + request.repository() + at + ", or it is private: check the name and --repo-type;"
                + " for a private one set HF_TOKEN (" + sent() + ")";
    }

    private String other(URI address, int status, String said) {
        String why = said.isEmpty() ? "" : ": " + said;
        String token = status == UNAUTHORIZED || status == FORBIDDEN ? "; check HF_TOKEN (" + sent() + ")" : "";
        return shown(address) + " answered with status " + status + why + token;
    }

    private String sent() {
        return environment.token() == null ? "none was sent" : "one was sent";
    }

    private String page() {
        return environment.endpoint() + "/" + request.repository().type().prefix
                + request.repository().id();
    }

    PrpfException unreachable(URI address, IOException last) {
        return new UnavailableException(
                environment.endpoint() + " cannot be reached (" + address.getPath() + ": " + Retrier.reason(last)
                        + "); check the network and HF_ENDPOINT, or set HF_HUB_OFFLINE=1 to use what the cache has."
                        + " Downloaded bytes are kept: run the same command again",
                last);
    }

    static IllegalStateException interrupted(InterruptedException interrupt) {
        Thread.currentThread().interrupt();
        return new IllegalStateException("a download was interrupted", interrupt);
    }
}
