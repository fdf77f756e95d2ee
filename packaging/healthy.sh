#!/bin/bash
# The image's health check: asks the server on port 8080.
exec 3<> /dev/tcp/127.0.0.1/8080 && printf 'GET /health HTTP/1.0\r\n\r\n' >&3 && grep -q '"ok"' <&3
