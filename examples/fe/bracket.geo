SetFactory("OpenCASCADE");
// an angle bracket: a foot with a hole, an upright plate
Box(1) = {0, 0, 0, 0.06, 0.04, 0.008};
Box(2) = {0, 0, 0, 0.008, 0.04, 0.05};
BooleanUnion(3) = { Volume{1}; Delete; }{ Volume{2}; Delete; };
Cylinder(4) = {0.04, 0.02, -0.01, 0, 0, 0.03, 0.007};
BooleanDifference(5) = { Volume{3}; Delete; }{ Volume{4}; Delete; };
Physical Volume("bracket") = {5};
root() = Surface In BoundingBox{-1e-6, -1, -1, 1e-6, 1, 1};
top() = Surface In BoundingBox{0.0079, -1e-6, 0.0079, 0.0601, 0.0401, 0.0081};
Physical Surface("wall") = {root()};
Physical Surface("shelf") = {top()};
Mesh.ElementOrder = 2;
Mesh.SecondOrderLinear = 1;
Mesh.MshFileVersion = 4.1;
