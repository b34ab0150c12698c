import { useState } from 'react';
import { authProblem, type AuthProblem, type Doing } from './auth-words';

export type Task =
  | { readonly status: 'idle' | 'working' }
  | { readonly status: 'done'; readonly words: string }
  | { readonly status: 'refused'; readonly problem: AuthProblem };

/** One thing asked of the shore: it works, is done, or is refused. While it works nothing else is asked. */
export function useTask(): {
  readonly task: Task;
  readonly problem: AuthProblem | null;
  readonly run: (doing: Doing, ask: () => Promise<string | undefined>) => Promise<void>;
  readonly refuse: (problem: AuthProblem) => void;
} {
  const [task, setTask] = useState<Task>({ status: 'idle' });
  return {
    task,
    problem: task.status === 'refused' ? task.problem : null,
    run: async (doing, ask) => {
      if (task.status === 'working') return;
      setTask({ status: 'working' });
      try {
        const words = await ask();
        setTask(words === undefined ? { status: 'idle' } : { status: 'done', words });
      } catch (error) {
        setTask({ status: 'refused', problem: authProblem(error, doing) });
      }
    },
    refuse: (problem) => setTask({ status: 'refused', problem }),
  };
}
