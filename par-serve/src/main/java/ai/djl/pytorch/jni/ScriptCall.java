package ai.djl.pytorch.jni;

import ai.djl.pytorch.engine.PtSymbolBlock;

/**
 * Calls any method of a TorchScript module, recording gradients or not. It is in DJL's package because the native entry {@code
 * PyTorchLibrary.moduleRunMethod} is package-private. DJL's public methods ({@code IValueUtils.forward} and {@code runMethod}) take only tensors or
 * never record gradients. Works on the class path, not as a named module.
 */
public final class ScriptCall {
    private ScriptCall() {}

    /**
     * Runs one method of a module.
     *
     * @param module the loaded module
     * @param method name in the module's text
     * @param autograd false runs under inference mode: faster, and the result cannot take part in a backward pass
     * @param arguments the caller closes them
     * @return the result, which the caller closes
     */
    public static IValue run(PtSymbolBlock module, String method, boolean autograd, IValue... arguments) {
        long[] handles = new long[arguments.length];
        for (int i = 0; i < handles.length; i++) {
            handles[i] = arguments[i].getHandle();
        }
        return new IValue(PyTorchLibrary.LIB.moduleRunMethod(module.getHandle(), method, handles, autograd, false));
    }
}
