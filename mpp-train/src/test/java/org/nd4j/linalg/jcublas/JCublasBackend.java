package org.nd4j.linalg.jcublas;

import org.nd4j.common.io.Resource;
import org.nd4j.linalg.factory.Environment;
import org.nd4j.linalg.factory.Nd4jBackend;

/**
 * A stub of the CUDA backend's class, since its library has 600 MB. It makes the class path look like a CUDA build and must never be called
 * for arrays.
 */
public final class JCublasBackend extends Nd4jBackend {
    @Override
    public boolean allowsOrder() {
        return false;
    }

    @Override
    public int getPriority() {
        return 100;
    }

    @Override
    public boolean isAvailable() {
        throw new UnsupportedOperationException("the card must be queried first");
    }

    @Override
    public boolean canRun() {
        return isAvailable();
    }

    @Override
    public Resource getConfigurationResource() {
        throw new UnsupportedOperationException("no card is used after the query");
    }

    @Override
    @SuppressWarnings("rawtypes")
    public Class getNDArrayClass() {
        throw new UnsupportedOperationException("no card is used after the query");
    }

    @Override
    public Environment getEnvironment() {
        throw new UnsupportedOperationException("no card is used after the query");
    }

    @Override
    public String buildInfo() {
        return "none";
    }

    @Override
    public void logBackendInit() {}
}
