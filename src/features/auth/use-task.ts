import { useCallback, useRef, useState } from 'react';
import { authProblem, type AuthProblem, type AuthTask } from './auth-text';

type TaskState =
  | { readonly status: 'idle' | 'working' }
  | { readonly status: 'done'; readonly text: string }
  | { readonly status: 'refused'; readonly problem: AuthProblem };

/** Runs one call to the cloud at a time and reports its result. */
export function useTask(): {
  readonly task: TaskState;
  readonly problem: AuthProblem | null;
  readonly run: (doing: AuthTask, ask: () => Promise<string | undefined>) => Promise<void>;
  readonly fail: (problem: AuthProblem) => void;
} {
  const [task, setTask] = useState<TaskState>({ status: 'idle' });
  const isWorking = useRef(false);
  const run = useCallback(async (doing: AuthTask, ask: () => Promise<string | undefined>): Promise<void> => {
    if (isWorking.current) return;
    isWorking.current = true;
    setTask({ status: 'working' });
    try {
      const words = await ask();
      setTask(words === undefined ? { status: 'idle' } : { status: 'done', text: words });
    } catch (error) {
      setTask({ status: 'refused', problem: authProblem(error, doing) });
    } finally {
      isWorking.current = false;
    }
  }, []);
  return {
    task,
    problem: task.status === 'refused' ? task.problem : null,
    run,
    fail: (problem) => setTask({ status: 'refused', problem }),
  };
}
