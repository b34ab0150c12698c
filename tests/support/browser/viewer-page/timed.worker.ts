// The order matters: the worker finds what it is timed with.
import './worker-timing';
import '../../../../src/workers/tracing/tracing.worker';
