package org.nd4j.linalg.jcublas;

import org.nd4j.common.io.Resource;
import org.nd4j.linalg.factory.Environment;
import org.nd4j.linalg.factory.Nd4jBackend;

/**
 * Stands in for the CUDA backend's class of this name, whose library is 600 MB: a build for CUDA as far as the class path tells. It must
 * never be asked for arrays.
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
        throw new UnsupportedOperationException("the card was to be asked first");
    }

    @Override
    public boolean canRun() {
        return isAvailable();
    }

    @Override
    public Resource getConfigurationResource() {
        throw new UnsupportedOperationException();
    }

    @Override
    @SuppressWarnings("rawtypes")
    public Class getNDArrayClass() {
        throw new UnsupportedOperationException();
    }

    @Override
    public Environment getEnvironment() {
        throw new UnsupportedOperationException();
    }

    @Override
    public String buildInfo() {
        return "none";
    }

    @Override
    public void logBackendInit() {}
}
