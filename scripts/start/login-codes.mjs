/** Login codes from the cloud's log: a demo delivers no mail. */
export class LoginCodes {
  shown = false;
  #waiting = [];

  onLogEntry(entry) {
    if (typeof entry.code !== 'string' || !entry.msg.startsWith('demo:')) return;
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
