// Text of files and servers for a person's terminal.

// Characters that a terminal acts on instead of showing them: controls, separators
// of lines, and those that turn the direction of the text beside them. Newlines and
// tabs stay as they are. torquectl escapes the same characters.
const STEERING =
  // eslint-disable-next-line no-control-regex
  /[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;
// The separators of lines, and the characters that turn the direction of text.
const TURNING = /[\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

function escape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** The same with what could steer a terminal written as "\\u202e". */
export function plain(text: string): string {
  return text.replace(STEERING, escape);
}

/** The same for text with controls that are meant, as those of colours. */
export function plainDirections(text: string): string {
  return text.replace(TURNING, escape);
}
