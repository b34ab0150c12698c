import { describe, expect, it } from 'vitest';
import { isCommonPassword } from './common-passwords';

describe('2§5: the most common passwords', () => {
  it.each(['123456', 'password', 'PASSWORD', 'qwertyuiop', 'sunshine', 'Sunshine1!', 'dragon2026', 'trustno1'])(
    '2§5: %s is common',
    (password) => expect(isCommonPassword(password)).toBe(true),
  );

  it.each(['six of it', 'turtle seagrass 7', 'sunshine12345', 'sunshine coral', 'my dragon', '🐠🐠🐠🐠🐠🐠', ''])(
    '2§5: %j is not common',
    (password) => expect(isCommonPassword(password)).toBe(false),
  );
});
