/** Login codes and one-time codes from the cloud's log: a demo delivers no mail and has no phone. */
export class LoginCodes {
  shown = false;
  #waiting = [];

  onLogEntry(entry) {
    if (typeof entry.code !== 'string' || !entry.msg.startsWith('demo:')) return;
    // The second step is for a person to set up; nothing here waits for its code.
    if (entry.msg.includes('one-time')) {
      if (this.shown) console.log(`A one-time code was asked for ashore, the second step of staff: ${entry.code}`);
      return;
    }
    const next = this.#waiting.shift();
    if (next !== undefined) next(entry.code);
    else if (this.shown) console.log(`A login code was asked for ashore: ${entry.code}`);
  }

  nextCode(ms) {
    return new Promise((resolve, reject) => {
      const timeout = setTimeout(() => reject(new Error('the cloud logged no login code')), ms);
      this.#waiting.push((code) => {
        clearTimeout(timeout);
        resolve(code);
      });
    });
  }
}
