// What can go wrong between the page and the service, told in words for people.

/** The service refused: `kind` is its word for why, the message says what to do, `status` is HTTP's. */
export class Refused extends Error {
  constructor(status, kind, message) {
    super(message);
    this.status = status;
    this.kind = kind;
  }
}

/** The service cannot be reached. */
export class Unreachable extends Error {}
