package dev.prpf.base.hub;

import java.io.IOException;

/** The server has no such range of a content: what is here is longer than what it has, or is of something else. */
final class RangeException extends IOException {
    private static final long serialVersionUID = 1L;

    RangeException(String message) {
        super(message);
    }
}
