package ai.djl.pytorch.jni;

import ai.djl.pytorch.engine.PtSymbolBlock;

/**
 * Calls any method of a TorchScript module, recording gradients or not. It lies in DJL's package because the one native entry that does
 * this, {@code PyTorchLibrary.moduleRunMethod}, is package-private, and DJL's public ways to it ({@code IValueUtils.forward} and {@code
 * runMethod}) take tensors only or never record gradients. This works on the class path, not as a named module.
 */
public final class ScriptCall {
    private ScriptCall() {}

    /**
     * Runs one method.
     *
     * @param module the loaded module
     * @param method a method of its text
     * @param autograd false runs under inference mode: faster, and the result cannot take part in a backward pass
     * @param arguments stay the caller's to close
     * @return the caller's to close
     */
    public static IValue run(PtSymbolBlock module, String method, boolean autograd, IValue... arguments) {
        long[] handles = new long[arguments.length];
        for (int i = 0; i < handles.length; i++) {
            handles[i] = arguments[i].getHandle();
        }
        return new IValue(PyTorchLibrary.LIB.moduleRunMethod(module.getHandle(), method, handles, autograd, false));
    }
}
