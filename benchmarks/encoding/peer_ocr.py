"""Images through rapidocr-onnxruntime (PP-OCRv4, the same ONNX files as ours). Prints one JSON line.

usage: peer_ocr.py IMAGES.json THREADS SETTING DET.onnx REC.onnx KEYS.txt
SETTING: "default" (rapidocr as it comes: long side 2000, angle classifier) or "matched" (what ours does: the detector sees the
image at a long side of 1216, no angle classifier); lines in batches of 6. Loading of the models is counted, as `data encode` counts its own; imports are not, nor is a JVM's start.
"""
import json, sys, time
from rapidocr_onnxruntime import RapidOCR

images = json.load(open(sys.argv[1], encoding="utf-8"))
threads, setting, det, rec, keys = int(sys.argv[2]), *sys.argv[3:7]
options = {"intra_op_num_threads": threads, "inter_op_num_threads": 1,
           "det_model_path": det, "rec_model_path": rec, "rec_keys_path": keys}
call = {}
if setting == "matched":
    options.update(max_side_len=1216, det_limit_type="max", det_limit_side_len=1216, use_cls=False)
    call = {"use_cls": False}
start = time.perf_counter()
reader = RapidOCR(**options)
lines = sum(len(reader(image, **call)[0] or []) for image in images)
print(json.dumps({"images": len(images), "lines": lines, "seconds": round(time.perf_counter() - start, 3)}))
