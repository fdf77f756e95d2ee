"""200 steps of torch.optim.AdamW in double precision on a network of two layers; prints what AdamMomentsTest compares with.

usage: python adamw_pytorch.py > mpp-train/src/test/resources/dev/prpf/mpp/network/graph/adamw.json
"""
import json, math

import torch


def trained(decay):
    flat = [0.5 * math.sin(i + 1) for i in range(26)]
    w1, b1, w2, b2 = (torch.tensor(flat[a:b], dtype=torch.float64).reshape(shape).requires_grad_()
                      for a, b, shape in ((0, 12, (4, 3)), (12, 16, (4,)), (16, 24, (2, 4)), (24, 26, (2,))))
    x = torch.tensor([[math.cos(3 * r + c) for c in range(3)] for r in range(5)], dtype=torch.float64)
    y = torch.tensor([[math.sin(2 * (2 * r + c)) for c in range(2)] for r in range(5)], dtype=torch.float64)
    optimizer = torch.optim.AdamW([{"params": [w1, w2], "weight_decay": decay}, {"params": [b1, b2], "weight_decay": 0}], lr=0.01)
    for _ in range(200):
        optimizer.zero_grad()
        outputs = torch.tanh(x @ w1.T + b1) @ w2.T + b2
        ((outputs - y) ** 2).mean(1).sum().backward()
        optimizer.step()
    return torch.cat([p.detach().flatten() for p in (w1, b1, w2, b2)]).tolist()


print(json.dumps({str(decay): trained(decay) for decay in (0.0, 0.1)}, indent=1))
