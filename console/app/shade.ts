/** Which of five shades a count has, 0: none; each stands for counts some times as large as those of the one before. */
export function shadeOf(n: number, most: number): number {
  if (n === 0) return 0;
  return Math.min(5, Math.ceil((5 * Math.log(n + 1)) / Math.log(most + 1))); // of some, such as 45, rounding makes more than 5
}
