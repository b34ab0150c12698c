// The order matters: the worker must find the timing in place.
import './worker-timing';
import '../../../../src/workers/tracing/tracing.worker';
