/** The embedder's looks, of values alone. */
export interface Theme {
  /** Of the product; beside the logo. */
  readonly name?: string
  /** Path on the instance's own origin, or absent. */
  readonly logoPath?: string
  /** Colour of buttons and links, `#rgb` or `#rrggbb`, readable on white. */
  readonly accent?: string
  /** Of the corners of controls, as a CSS length. */
  readonly radius?: string
  /**
   * Whether pages follow the light or dark setting of the screen.
   * @defaultValue `auto`
   */
  readonly scheme?: 'auto' | 'dark' | 'light'
  /**
   * Absolute path of a style sheet of at most 10 000 bytes, after those of the package; read at the start. It loads
   * nothing: no `@import`, no `url()` but of `data:image/svg+xml`. It may use and set the custom properties of
   * `_kit/tokens.css`, which stay as they are named; names of classes may change in any version.
   */
  readonly cssFile?: string
  /** At the foot of each page. */
  readonly links?: readonly ThemeLink[]
}

/** A link at the foot of each page. */
export interface ThemeLink {
  /** Its text. */
  readonly label: string
  /** A web address, or a path of the instance. */
  readonly href: string
}
