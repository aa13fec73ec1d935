declare module 'cluster-key-slot' {
  /** The slot of a key, 0 to 16 383. */
  export default function slotOf(key: string): number
}
