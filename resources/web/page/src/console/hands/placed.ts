// From what a tracker says of a hand, which is its shape [m] and where its points are in the picture, to one set of
// points [m]: x right, y down, z ahead. Pure.

export type Point = readonly [number, number, number];

/**
 * The hand at its own size, as far from the picture's middle as it would be in its own plane.
 *
 * shape: 21 points around the hand's middle [m]. picture: the same in the picture, 0 to 1 along width and height; their
 * depth is not used. Null if the hand has no size in one of both.
 */
export function placed(shape: readonly Point[], picture: readonly Point[], width: number, height: number): Point[] | null {
  const pixels = picture.map(([x, y]) => [x * width, y * height] as const);
  const [shapeX, shapeY] = middle(shape);
  const [pixelX, pixelY] = middle(pixels);
  // The one scale that brings the shape's outline nearest to the picture's (least squares).
  let across = 0;
  let square = 0;
  shape.forEach(([x, y], number) => {
    const [u, v] = pixels[number] ?? [NaN, NaN];
    across += (x - shapeX) * (u - pixelX) + (y - shapeY) * (v - pixelY);
    square += (x - shapeX) ** 2 + (y - shapeY) ** 2;
  });
  const pixelsPerMetre = across / square;
  if (!(pixelsPerMetre > 0) || !Number.isFinite(pixelsPerMetre)) return null;
  const right = (pixelX - width / 2) / pixelsPerMetre - shapeX;
  const down = (pixelY - height / 2) / pixelsPerMetre - shapeY;
  return shape.map(([x, y, z]) => [x + right, y + down, z]);
}

/** Numbers as short as a tenth of a millimetre needs them. */
export function rounded(points: readonly Point[]): Point[] {
  const short = (value: number): number => Math.round(1e4 * value) / 1e4;
  return points.map(([x, y, z]) => [short(x), short(y), short(z)]);
}

function middle(points: readonly (readonly number[])[]): [number, number] {
  const sum = points.reduce<[number, number]>(([x, y], [u, v]) => [x + (u ?? NaN), y + (v ?? NaN)], [0, 0]);
  return [sum[0] / points.length, sum[1] / points.length];
}
