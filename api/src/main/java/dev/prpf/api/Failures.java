package dev.prpf.api;

import java.util.function.Supplier;

/** Converts internal failures to this package's exceptions; keeps their messages. */
final class Failures {
    private Failures() {}

    static <T> T convert(Supplier<T> work) {
        try {
            return work.get();
        } catch (dev.prpf.base.error.PrpfException e) {
            throw converted(e);
        }
    }

    /** Returns the exception of the API; the internal one without a counterpart, which is a bug. */
    private static RuntimeException converted(dev.prpf.base.error.PrpfException e) {
        String message = e.getMessage();
        if (e instanceof dev.prpf.base.error.PrpfException.InvalidDataException) {
            return new InvalidDataException(message, e);
        }
        if (e instanceof dev.prpf.base.error.PrpfException.UnavailableException) {
            return new UnavailableException(message, e);
        }
        if (e instanceof dev.prpf.base.error.PrpfException.InvalidConfigurationException
                || e instanceof dev.prpf.base.error.PrpfException.UsageException) {
            return new InvalidConfigurationException(message, e);
        }
        return e instanceof dev.prpf.base.error.PrpfException.InsufficientMemoryException
                ? new InsufficientMemoryException(message, e)
                : e;
    }
}
